/**
 * Previews of unsaved documents: a status page, a dashboard or a mail. A *preview* is a document
 * with the *files* it loads, at an unguessable URL for ten minutes. Any module may create one.
 * Anyone with the URL can view it, framed by the application.
 * Tables: previews, preview_files.
 */

export type { Preview, PreviewFile, PreviewInput } from "./preview-store.ts";
export {
  addPreviewRoutes,
  createPreview,
  PreviewSchema,
  startPreviewLoops,
  toWirePreview,
} from "./previews.ts";
