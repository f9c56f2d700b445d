import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import type { Editor } from "../../kinds/editor/editor-context.ts";
import { type Fields, isSame, mergeFields, setAt } from "../../kinds/fields.ts";
import { writeRule } from "../../parts/field-fault.ts";
import { type Draft, dropDraft, keepDraft, stripSecrets } from "./draft.ts";
import { words } from "./words.ts";

export interface Refusal {
  /** What was not done. */
  readonly title: string;
  readonly message: string;
  readonly keys: readonly string[];
  /** What each field needs, by key. */
  readonly rules: Readonly<Record<string, string>>;
  /** For the server's log; null: the words say enough. */
  readonly requestId: string | null;
}

export interface CheckEditor extends Editor {
  /** What the API has; null: it is a new check. */
  readonly base: Fields | null;
  readonly etag: string | null;
  readonly isDirty: boolean;
  readonly refusal: Refusal | null;
  readonly labels: ReadonlyMap<string, string>;
  replace(values: Fields): void;
  /** The state of the API that the values are changes of. */
  rebase(base: Fields, etag: string | null, values: Fields): void;
  refuse(error: unknown, title?: string): void;
  /** The values are saved or given up. */
  settle(): void;
}

interface EditorStart {
  readonly draftKey: string;
  readonly start: Fields;
  readonly base: Fields | null;
  readonly etag: string | null;
  readonly draft: Draft | null;
}

const keepMs = 200;

function toRefusal(error: unknown, title: string): Refusal {
  if (!(error instanceof ApiError)) throw error;
  const keys = error.validation?.keys ?? [];
  const requestId = error.status >= 500 ? error.requestId : null;
  return { title, message: error.message, keys, rules: error.fieldErrors, requestId };
}

export function useCheckEditor(from: EditorStart): CheckEditor {
  const { draftKey, draft } = from;
  const [values, setValues] = useState(draft?.values ?? from.start);
  const [{ base, etag }, setBase] = useState(
    draft === null ? { base: from.base, etag: from.etag } : { base: draft.base, etag: draft.etag },
  );
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const labels = useRef(new Map<string, string>());
  const begun = base ?? from.start;
  const isDirty = !isSame(values, begun);

  const settle = useKeptDraft(draftKey, { values, base, etag }, isDirty);

  const set = useCallback((path: string, value: unknown) => {
    setValues((before) => setAt(before, path, value));
    setRefusal((before) => withoutPath(before, path));
  }, []);
  const merge = useCallback((fields: Fields) => {
    setValues((before) => mergeFields(before, fields));
    setRefusal(null);
  }, []);

  const refuse = useCallback(
    (error: unknown, title: string = words.notSaved) => setRefusal(toRefusal(error, title)),
    [],
  );

  return useMemo(
    () => ({
      values,
      base,
      etag,
      isNew: base === null,
      isDirty,
      refusal,
      labels: labels.current,
      set,
      merge,
      replace: (next: Fields) => {
        setValues(next);
        setRefusal(null);
      },
      rebase: (next: Fields, tag: string | null, changed: Fields) => {
        setBase({ base: next, etag: tag });
        setValues(changed);
        setRefusal(null);
      },
      refuse,
      settle,
      findFault: (path: string) => findFault(refusal, path, labels.current.get(path)),
      noteLabel: (path: string, label: string) => void labels.current.set(path, label),
    }),
    [values, base, etag, isDirty, refusal, set, merge, refuse, settle],
  );
}

/** Keeps what is typed; the answer gives it up. */
function useKeptDraft(key: string, { values, base, etag }: Draft, isDirty: boolean): () => void {
  const isSettled = useRef(false);
  useEffect(() => {
    if (isSettled.current) return;
    if (!isDirty) {
      dropDraft(key);
      return;
    }
    const keep = () => keepDraft(key, { values, base, etag });
    const timer = setTimeout(keep, keepMs);
    return () => {
      clearTimeout(timer);
      if (!isSettled.current) keep();
    };
  }, [key, values, base, etag, isDirty]);
  return useCallback(() => {
    isSettled.current = true;
    dropDraft(key);
  }, [key]);
}

export function findFault(refusal: Refusal | null, path: string, label?: string): string | null {
  const rule = refusal?.rules[path];
  return rule === undefined ? null : writeRule(rule, label);
}

/** The first fault in words, with the label of its field where the form has one. */
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

export function hasSecretsToType(values: Fields, draft: Draft | null): boolean {
  if (draft === null) return false;
  const holders = JSON.stringify(stripSecrets(values));
  return /"(?:locked|secret)":true/.test(holders) && /"value":""/.test(holders)
    ? true
    : /"password":""/.test(holders);
}
