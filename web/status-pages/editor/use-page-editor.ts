import { useCallback, useEffect, useRef, useState } from "react";
import { dropDraft, keepDraft, readDraft } from "../../checks/editor/draft.ts";
import { type Fields, isSame } from "../../kinds/fields.ts";
import type { StoredPage } from "../queries.ts";
import { type PageValues, toValues } from "./page-values.ts";

const keepMs = 200;

interface EditorState {
  readonly values: PageValues;
  /** What the API has, and the tag by which it calls that state. */
  readonly base: PageValues;
  readonly etag: string | null;
}

export interface PageEditor extends EditorState {
  readonly isDirty: boolean;
  /** Whether it began with what was typed before. */
  readonly isRestored: boolean;
  readonly change: (change: Partial<PageValues>) => void;
  readonly update: (decide: (before: PageValues) => PageValues) => void;
  readonly rebase: (base: PageValues, etag: string | null, values: PageValues) => void;
  /** What was sent is stored; what was typed meanwhile stays, to be saved next. */
  readonly keepStored: (stored: EditorState, sent: PageValues) => void;
  readonly discard: () => void;
  /** The values are saved or given up. */
  readonly settle: () => void;
}

/** Drafts are kept as fields of no particular kind; those of this name were made here. */
function asPageValues(fields: Fields): PageValues {
  return fields as unknown as PageValues;
}

function begin(key: string, { page, etag }: StoredPage): EditorState & { isRestored: boolean } {
  const draft = readDraft(key);
  const base = toValues(page);
  if (draft === null || draft.base === null) {
    return { values: base, base, etag, isRestored: false };
  }
  const kept = { values: asPageValues(draft.values), base: asPageValues(draft.base) };
  return { ...kept, etag: draft.etag, isRestored: true };
}

export function usePageEditor(stored: StoredPage): PageEditor {
  const key = `status-page.${stored.page.id}`;
  const [first] = useState(() => begin(key, stored));
  const [state, setState] = useState<EditorState>(first);
  const [isRestored, setRestored] = useState(first.isRestored);
  const isSettled = useRef(false);
  const isDirty = !isSame(state.values, state.base);
  useEffect(() => {
    if (isSettled.current) return;
    if (!isDirty) {
      dropDraft(key);
      return;
    }
    const keep = () => keepDraft(key, state);
    const timer = setTimeout(keep, keepMs);
    return () => {
      clearTimeout(timer);
      if (!isSettled.current) keep();
    };
  }, [key, state, isDirty]);
  const update = useCallback((decide: (before: PageValues) => PageValues) => {
    isSettled.current = false;
    setState((before) => ({ ...before, values: decide(before.values) }));
  }, []);
  return {
    ...state,
    isDirty,
    isRestored,
    update,
    change: (change) => update((before) => ({ ...before, ...change })),
    rebase: (base, etag, values) => setState({ base, etag, values }),
    keepStored: (stored, sent) =>
      setState(({ values }) => (values === sent ? stored : { ...stored, values })),
    discard: () => {
      setRestored(false);
      setState((before) => ({ ...before, values: before.base }));
    },
    settle: () => {
      isSettled.current = true;
      dropDraft(key);
    },
  };
}
