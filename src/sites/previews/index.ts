/**
 * Previews of unsaved documents: a status page, a dashboard or a mail. A *preview* is a document
 * with the *files* that it loads, available for ten minutes at a URL that cannot be guessed. Any
 * module may create a preview. Anyone with the URL can view the preview, and the application shows
 * it in a frame. Tables: previews, preview_files.
 */

export type { Preview, PreviewFile, PreviewInput } from "./preview-store.ts";
export {
  addPreviewRoutes,
  createPreview,
  PreviewSchema,
  startPreviewLoops,
  toWirePreview,
} from "./previews.ts";
