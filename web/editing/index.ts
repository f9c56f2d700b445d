/**
 * Editing of one object: form values, a draft in the tab's session storage, saving with `If-Match`,
 * and conflicts with other users. The functions that compute states are pure.
 */
export { EditorNotices, type Naming, OwnerNotice } from "./editor-notices.tsx";
export { ifMatch, keepDraftText, readDraftText, useDraft, type Version } from "./editor-state.ts";
export { getFieldError, getFormError, writeRule } from "./field-error.ts";
export type { OwnedObject } from "./queries.ts";
export { type Editor, type EditorOptions, useEditor } from "./use-editor.ts";
