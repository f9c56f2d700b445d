/**
 * Editing of one object: form values, the edited version, a draft in the tab's session storage,
 * saving with `If-Match`, and the resolution of conflicts with other users. The functions in
 * `merge.ts` and `editor-state.ts` that compute states are pure.
 */
export { EditorNotices, type Naming, OwnerNotice } from "./editor-notices.tsx";
export { ifMatch, keepDraftText, readDraftText, useDraft, type Version } from "./editor-state.ts";
export { getFieldError, getFormError, writeRule } from "./field-error.ts";
export type { OwnedObject } from "./queries.ts";
export { type Editor, type EditorOptions, useEditor } from "./use-editor.ts";
