/**
 * Imports from other monitors. A *source* is another monitoring tool. The *reader* of a source
 * translates a file into *resources* (checks, channels, pages), old *push addresses*, *history* and
 * a *report* of the settings that change or are left out. A *preview* stores this result without
 * changing anything. A *run* writes the result in one transaction, with the plan engine of module
 * `projects`. The *origin* of each object is stored, so that a repeated import updates the object
 * instead of creating a second one. Tables: imports, imported_objects.
 */
export { ReadingSlots } from "./context.ts";
export { importSources, sources } from "./import.ts";
export { readInThread } from "./reader-thread.ts";
export { type ImportFile, type ImportReport, UnreadableFile } from "./reading.ts";
export { addImportRoutes } from "./routes.ts";
export type { ImportSource } from "./sources.ts";
export { maxFileBytes } from "./upload.ts";
