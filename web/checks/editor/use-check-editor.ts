import { useCallback, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { type Editor, type EditorOptions, useEditor, writeRule } from "../../editing/index.ts";
import type { Editor as FieldEditor } from "../../kinds/editor/editor-context.ts";
import { type Fields, mergeFields, setAt } from "../../parts/fields.ts";
import { fromCheck } from "./check-values.ts";
import { words } from "./words.ts";

export interface Refusal {
  /** What failed. */
  readonly title: string;
  readonly message: string;
  readonly keys: readonly string[];
  /** Validation errors by field. */
  readonly rules: Readonly<Record<string, string>>;
  /** Id in the server's log; `null` if the message is sufficient. */
  readonly requestId: string | null;
}

export interface CheckEditor
  extends FieldEditor,
    Omit<Editor<Fields, Fields>, "values" | "change" | "update"> {
  readonly refusal: Refusal | null;
  readonly labels: ReadonlyMap<string, string>;
  replace(values: Fields): void;
  /** Shows an error at the fields that it names. */
  refuse(error: unknown, title?: string): void;
}

function toRefusal(error: unknown, title: string): Refusal {
  if (!(error instanceof ApiError)) throw error;
  const keys = error.validation?.keys ?? [];
  const requestId = error.status >= 500 ? error.requestId : null;
  return { title, message: error.message, keys, rules: error.fieldErrors, requestId };
}

type CheckOptions = Omit<EditorOptions<Fields, Fields>, "toValues" | "onError">;

/** Edits a check by the paths of its fields, and shows the API's errors at them. */
export function useCheckEditor(options: CheckOptions): CheckEditor {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const labels = useRef(new Map<string, string>());
  const refuse = useCallback(
    (error: unknown, title: string = words.notSaved) => setRefusal(toRefusal(error, title)),
    [],
  );
  const {
    update,
    change: _change,
    ...editor
  } = useEditor({
    ...options,
    toValues: fromCheck,
    onError: refuse,
  });
  const set = useCallback(
    (path: string, value: unknown) => {
      update((before) => setAt(before, path, value));
      setRefusal((before) => withoutPath(before, path));
    },
    [update],
  );
  const merge = useCallback(
    (fields: Fields) => {
      update((before) => mergeFields(before, fields));
      setRefusal(null);
    },
    [update],
  );
  return {
    ...editor,
    isNew: options.stored === null,
    refusal,
    labels: labels.current,
    set,
    merge,
    replace: (next) => {
      update(() => next);
      setRefusal(null);
    },
    resolve: (chosen) => {
      editor.resolve(chosen);
      setRefusal(null);
    },
    refuse,
    findFieldError: (path) => findFieldError(refusal, path, labels.current.get(path)),
    noteLabel: (path, label) => void labels.current.set(path, label),
  };
}

export function findFieldError(
  refusal: Refusal | null,
  path: string,
  label?: string,
): string | null {
  const rule = refusal?.rules[path];
  return rule === undefined ? null : writeRule(rule, label);
}

/** Formats the first validation error, with the label of its field if it has one. */
export function summarize(refusal: Refusal, labels: ReadonlyMap<string, string>): string {
  const [key = ""] = refusal.keys;
  const label = labels.get(key);
  const rule = refusal.rules[key];
  return rule === undefined || label === undefined ? refusal.message : writeRule(rule, label);
}

function withoutPath(refusal: Refusal | null, path: string): Refusal | null {
  if (refusal === null) return null;
  const keys = refusal.keys.filter((key) => key !== path && !key.startsWith(`${path}.`));
  if (keys.length === refusal.keys.length) return refusal;
  return keys.length === 0 || keys[0] !== refusal.keys[0] ? null : { ...refusal, keys };
}
