import { createContext, useContext } from "react";
import type { Fields } from "../fields.ts";

/** What the fields of an editor share. A path is the one that the API names in a refusal. */
export interface Editor {
  readonly values: Fields;
  readonly isNew: boolean;
  set(path: string, value: unknown): void;
  /** Several fields at once, over those that are there. */
  merge(fields: Fields): void;
  /** What the API said of a field; null: nothing. */
  findFault(path: string): string | null;
  /** What people call a field, for lists of changes. */
  noteLabel(path: string, label: string): void;
}

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (editor === null) throw new Error("There is no editor around this field.");
  return editor;
}
