/**
 * Documents that somebody looks at before anything is saved: a status page, a dashboard, a mail. A
 * *preview* is a document with the *files* it loads, at an address that nobody guesses, for ten
 * minutes. Any room may make one; whoever knows the address sees it, in a frame of ours.
 * Tables: previews, preview_files.
 */
export { createPreview, type PreviewsContext } from "./actions.ts";
export { startPreviewLoops } from "./loops.ts";
export type { Preview, PreviewFile, PreviewInput } from "./preview.ts";
export { addPreviewRoutes } from "./routes.ts";
export { PreviewSchema, toWirePreview } from "./schema.ts";
