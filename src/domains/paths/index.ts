/**
 * Paths to the targets of checks. After the first failing run of a problem, the location that
 * failed and one that passes *trace* the path, and the result has a *report* that compares it with
 * the *last good path*, which is traced once a day while the check passes. `results` stores the
 * reports. Tables: good_paths.
 */

export { findUsedHops } from "./good-path-store.ts";
export { addPathRoutes } from "./live-path.ts";
export { createPaths, type Paths, startPathLoops } from "./loops.ts";
