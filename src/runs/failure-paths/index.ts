/**
 * Network paths to the targets of checks. After the first failing run of a problem, the path is
 * *traced* from the failing location and from a location where the check passes. The result gets a
 * *report* that compares the two paths with the *last good path*, which is traced every day while
 * the check passes. `results` stores the reports. Tables: good_paths.
 */

export { findUsedHops } from "./good-path-store.ts";
export { addPathRoutes } from "./live-path.ts";
export { createPaths, type Paths, startPathLoops } from "./loops.ts";
