import { useCallback, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import {
  type Editor,
  type EditorOptions,
  useEditor,
  type Version,
  writeRule,
} from "../../editing/index.ts";
import type { FieldEditor } from "../../kinds/editor/editor-context.ts";
import type { AnyValues, Check, CheckKind } from "../../kinds/form-values.ts";
import { useFindKind } from "../../kinds/queries.ts";
import { mergeFields, setAt } from "../../parts/fields.ts";
import { fromCheck } from "./check-values.ts";
import { words } from "./words.ts";

export interface Refusal {
  /** Title of the error message. */
  readonly title: string;
  readonly message: string;
  readonly keys: readonly string[];
  /** Validation error texts by field path. */
  readonly rules: Readonly<Record<string, string>>;
  /** Request id, to find the error in the server's log; `null` if the message is sufficient. */
  readonly requestId: string | null;
}

export interface CheckEditor
  extends FieldEditor,
    Omit<Editor<Check, AnyValues>, "values" | "change" | "update"> {
  readonly refusal: Refusal | null;
  readonly labels: ReadonlyMap<string, string>;
  replace(values: AnyValues): void;
  /** Shows an API error at the fields named in the error. */
  refuse(error: unknown, title?: string): void;
}

function toRefusal(error: unknown, title: string): Refusal {
  if (!(error instanceof ApiError)) throw error;
  const keys = error.validation?.keys ?? [];
  const requestId = error.status >= 500 ? error.requestId : null;
  return { title, message: error.message, keys, rules: error.fieldErrors, requestId };
}

interface CheckOptions
  extends Omit<EditorOptions<Check, AnyValues>, "toValues" | "onError" | "send"> {
  readonly send: (
    values: AnyValues,
    kind: CheckKind,
    version: Version<Check> | null,
  ) => Promise<Version<Check>>;
}

/** Edits the fields of a check by path, and shows the API's validation errors at the fields. */
export function useCheckEditor(options: CheckOptions): CheckEditor {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const labels = useRef(new Map<string, string>());
  const refuse = useCallback(
    (error: unknown, title: string = words.notSaved) => setRefusal(toRefusal(error, title)),
    [],
  );
  const findKind = useFindKind();
  const {
    update,
    change: _change,
    ...editor
  } = useEditor<Check, AnyValues>({
    ...options,
    send: (values, version) => options.send(values, findKind(values.checkType), version),
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
    (fields: object) => {
      update((before) => mergeFields(before, fields));
      setRefusal(null);
    },
    [update],
  );
  return {
    ...editor,
    kind: findKind(editor.values.checkType),
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

/**
 * Formats the first validation error with the label of its field. Without a label, returns the
 * message of the API.
 */
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
