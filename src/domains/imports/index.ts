/**
 * Imports from other monitors. A *source* is another tool, and its *reader* translates a file into
 * *resources* (checks, channels, pages), old *push addresses*, *history* and a *report* of what
 * becomes different or is left out. A *preview* stores that without changing anything; a *run*
 * writes it in one transaction, with the plans of module `projects`. The *origin* of each object is
 * remembered, so that importing again changes it instead of creating another.
 * Tables: imports, imported_objects.
 */
export { ReadingSlots } from "./context.ts";
export { importSources, sources } from "./import.ts";
export { readInThread } from "./reader-thread.ts";
export { type ImportFile, type ImportReport, UnreadableFile } from "./reading.ts";
export { addImportRoutes } from "./routes.ts";
export type { ImportSource } from "./sources.ts";
export { maxFileBytes } from "./upload.ts";
