import { useEffect, useRef, useState } from "react";
import { dropDraft, keepDraft, readDraft } from "../../checks/editor/draft.ts";
import { type Fields, isSame } from "../../kinds/fields.ts";
import type { StoredDashboard } from "../queries.ts";
import { type DashboardValues, toValues } from "./dashboard-values.ts";

const keepMs = 200;

interface EditorState {
  readonly values: DashboardValues;
  /** What the API has, and the tag by which it calls that state. */
  readonly base: DashboardValues;
  readonly etag: string | null;
}

export interface DashboardEditor extends EditorState {
  readonly isDirty: boolean;
  /** Whether it began with what was typed before. */
  readonly isRestored: boolean;
  readonly change: (change: Partial<DashboardValues>) => void;
  readonly rebase: (state: EditorState) => void;
  /** What was sent is stored; what was typed meanwhile stays, to be saved next. */
  readonly keepStored: (stored: EditorState, sent: DashboardValues) => void;
  readonly discard: () => void;
  /** The values are saved or given up. */
  readonly settle: () => void;
}

/** Drafts are kept as fields of no particular kind; those of this name were made here. */
const asValues = (fields: Fields) => fields as unknown as DashboardValues;

function begin(key: string, { dashboard, etag }: StoredDashboard) {
  const draft = readDraft(key);
  const base = toValues(dashboard);
  if (draft === null || draft.base === null) {
    return { state: { values: base, base, etag }, isRestored: false };
  }
  const kept = { values: asValues(draft.values), base: asValues(draft.base), etag: draft.etag };
  return { state: kept, isRestored: true };
}

export function useDashboardEditor(stored: StoredDashboard): DashboardEditor {
  const key = `dashboard.${stored.dashboard.dashboardId}`;
  const [first] = useState(() => begin(key, stored));
  const [state, setState] = useState<EditorState>(first.state);
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
  return {
    ...state,
    isDirty,
    isRestored,
    change: (change) => {
      isSettled.current = false;
      setState((before) => ({ ...before, values: { ...before.values, ...change } }));
    },
    rebase: setState,
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
