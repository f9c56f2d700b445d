import { createContext, useContext } from "react";
import type { PathOf, ValueAt } from "../../parts/fields.ts";
import type { AnyValues, CheckKind, CheckType, CheckValues } from "../form-values.ts";

/** State of an editor. The paths of fields are the same as in the API's validation errors. */
export interface Editor<Values extends object = AnyValues> {
  readonly values: Values;
  readonly kind: CheckKind;
  readonly isNew: boolean;
  set<Path extends PathOf<Values>>(path: Path, value: ValueAt<Values, Path>): void;
  /** Sets several fields together. */
  merge(fields: Values): void;
  /** Returns the validation error of a field; `null` if the field is valid. */
  findFieldError(path: string): string | null;
  /** Registers the label of a field for lists of changed fields. */
  noteLabel(path: string, label: string): void;
}

/**
 * Editor state with untyped paths, for generic fields. The typed wrappers of these fields check the
 * paths.
 */
export interface FieldEditor extends Omit<Editor, "set" | "merge"> {
  set(path: string, value: unknown): void;
  merge(fields: object): void;
}

export const EditorContext = createContext<FieldEditor | null>(null);

export function useFieldEditor(): FieldEditor {
  const editor = useContext(EditorContext);
  if (editor === null) throw new Error("There is no editor around this field.");
  return editor;
}

/** Returns the editor state, typed with the fields of all check types together. */
export function useEditor(): Editor {
  return useFieldEditor();
}

/** Returns the editor state, typed with only the fields of one check type. */
export function useEditorOf<Type extends CheckType>(): Editor<CheckValues<Type>> {
  const editor = useFieldEditor();
  return { ...editor, values: editor.values as CheckValues<Type> };
}

type Limits = CheckKind["limits"][string];

const noLimits: Limits = { required: false, nullable: true };

/** Returns the limits of a field, by a path such as `request.headers.0.key`. */
export function findLimits({ limits }: Pick<CheckKind, "limits">, path: string): Limits {
  return limits[path.replaceAll(/\.\d+(?=\.|$)/g, "[]")] ?? noLimits;
}
