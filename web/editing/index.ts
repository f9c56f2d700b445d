/**
 * Editing of one object: form values, the version that they change, a draft in the storage of the
 * tab, saving with `If-Match`, and the resolution of conflicts with other writers. `merge.ts`,
 * `draft.ts` and `editor-state.ts` are pure.
 */
export type { Naming } from "./conflict-panel.tsx";
export { keepDraftText, readDraftText, useDraft } from "./draft.ts";
export { EditorNotices, OwnerNotice } from "./editor-notices.tsx";
export type { Version } from "./editor-state.ts";
export { getFieldError, getFormError, writeRule } from "./field-error.ts";
export type { OwnedObject } from "./queries.ts";
export { ifMatch } from "./save-with-etag.ts";
export { type Editor, type EditorOptions, useEditor } from "./use-editor.ts";
