/**
 * Editing of one object: form values, the version that they change, a draft in the storage of the
 * tab, saving with `If-Match`, and the resolution of conflicts with other writers. `merge.ts`,
 * `draft.ts` and `editor-state.ts` are pure.
 */
export { EditorNotices, type Naming, OwnerNotice } from "./editor-notices.tsx";
export { ifMatch, keepDraftText, readDraftText, useDraft, type Version } from "./editor-state.ts";
export { getFieldError, getFormError, writeRule } from "./field-error.ts";
export type { OwnedObject } from "./queries.ts";
export { type Editor, type EditorOptions, useEditor } from "./use-editor.ts";
