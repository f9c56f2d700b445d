import { createContext, useContext } from "react";
import type { Fields } from "../../parts/fields.ts";

/** State shared by the fields of an editor. Paths are those of the API's validation errors. */
export interface Editor {
  readonly values: Fields;
  readonly isNew: boolean;
  set(path: string, value: unknown): void;
  /** Sets several fields at once. */
  merge(fields: Fields): void;
  /** Returns the validation error of a field, or `null`. */
  findFieldError(path: string): string | null;
  /** Registers the label of a field, for lists of changes. */
  noteLabel(path: string, label: string): void;
}

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (editor === null) throw new Error("There is no editor around this field.");
  return editor;
}
