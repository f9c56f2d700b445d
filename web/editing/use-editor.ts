import { useMutation } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import {
  applySaved,
  beginEditing,
  dropDraft,
  type EditorState,
  follow,
  isDirty,
  isNewer,
  keepDraft,
  readDraft,
  rebase,
  type SaveOptions,
  saveWithEtag,
  type Version,
} from "./editor-state.ts";
import { hasNews, type Versions } from "./merge.ts";

export interface EditorOptions<Item, Values extends object> extends SaveOptions<Item, Values> {
  /** Key of the draft in the tab's session storage; `null` to store no draft. */
  readonly draftKey: string | null;
  /** Removes secrets that `stripSecrets` does not recognise, because secrets must not be stored. */
  readonly cleanDraft?: (values: Values) => Values;
  /** Newest known version of the object on the server; `null` for a new object. */
  readonly stored: Version<Item> | null;
  /** Initial values of a new object. */
  readonly initial?: Values;
  readonly onSaved: (saved: Version<Item>, isNew: boolean) => unknown;
  readonly onError?: (error: Error) => void;
}

export interface Editor<Item, Values extends object> {
  readonly values: Values;
  /** Values of the edited version, or the initial values of a new object. */
  readonly base: Values;
  /** Version that the user edits; `null` for a new object. */
  readonly version: Version<Item> | null;
  readonly isDirty: boolean;
  readonly change: (change: Partial<Values>) => void;
  readonly update: (decide: (before: Values) => Values) => void;
  readonly save: () => void;
  readonly isSaving: boolean;
  /** Error of the last save; `null` if there is none. */
  readonly error: Error | null;
  readonly clearError: () => void;
  /** Conflicting values, set while the user has to choose between them. */
  readonly conflict: Versions<Values> | null;
  /** Continues from another user's version with the values that the user has chosen. */
  readonly resolve: (chosen: Values) => void;
  /** Opens the conflict panel before saving; `null` if no other user has changed the object. */
  readonly showChanges: (() => void) | null;
  /** Whether the values were restored from a draft. */
  readonly isRestored: boolean;
  readonly lacksSecrets: boolean;
  /** Restores the values of the edited version. */
  readonly discard: () => void;
  /**
   * Deletes the draft and disables the confirmation on leaving, after the input has been saved or
   * abandoned.
   */
  readonly close: () => void;
}

const keepMs = 200;

/**
 * Stores unsaved input shortly after it is typed, and deletes the draft when no input is unsaved.
 * Returns a function that deletes the draft and prevents it from being stored again when the form
 * unmounts.
 */
function useStoredDraft<Item, Values extends object>(
  { draftKey, cleanDraft }: EditorOptions<Item, Values>,
  { values, version }: EditorState<Item, Values>,
  { isKept, lacksSecrets }: { readonly isKept: boolean; readonly lacksSecrets: boolean },
): () => void {
  const clean = useRef(cleanDraft);
  clean.current = cleanDraft;
  const isCurrent = useRef(isKept);
  isCurrent.current = isKept;
  useEffect(() => {
    if (draftKey === null) return;
    if (!isKept) {
      dropDraft(draftKey);
      return;
    }
    const keep = () => keepDraft(draftKey, { values, version, lacksSecrets }, clean.current);
    const timer = setTimeout(keep, keepMs);
    return () => {
      clearTimeout(timer);
      if (isCurrent.current) keep();
    };
  }, [draftKey, values, version, isKept, lacksSecrets]);
  return () => {
    isCurrent.current = false;
    if (draftKey !== null) dropDraft(draftKey);
  };
}

/** Holds the state of a form: values, edited version, draft, and conflict with another user. */
export function useEditor<Item, Values extends object>(
  options: EditorOptions<Item, Values>,
): Editor<Item, Values> {
  const { draftKey, stored, initial, toValues, onSaved, onError } = options;
  const [begun] = useState(() => {
    const draft = draftKey === null ? null : readDraft<Item, Values>(draftKey);
    return beginEditing({ stored, initial, draft, toValues });
  });
  const [state, setState] = useState(begun.state);
  const [theirs, setTheirs] = useState<Version<Item> | null>(null);
  const [isRestored, setRestored] = useState(begun.isRestored);
  const [isClosed, setClosed] = useState(false);
  const followed = follow(state, stored, toValues);
  if (followed !== state) setState(followed);

  const isUnsaved = isDirty(state) && !isClosed;
  const { lacksSecrets } = begun;
  const drop = useStoredDraft(options, state, { isKept: isUnsaved, lacksSecrets });
  const update = useCallback((decide: (before: Values) => Values) => {
    setClosed(false);
    setState((before) => ({ ...before, values: decide(before.values) }));
  }, []);

  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => saveWithEtag(state, options),
    onSuccess: (outcome) => {
      setTheirs(outcome.kind === "conflict" ? outcome.theirs : null);
      if (outcome.kind === "conflict") return;
      setRestored(false);
      setState((now) => applySaved(now, outcome, toValues));
      return onSaved(outcome.saved, state.version === null);
    },
    onError: (failure) => onError?.(failure),
  });

  const compare = (version: Version<Item>): Versions<Values> => ({
    base: state.base,
    mine: state.values,
    theirs: toValues(version.data),
  });
  const hasChanged = !isPending && !isClosed && isNewer(state, stored) && hasNews(compare(stored));
  return {
    ...state,
    isDirty: isUnsaved,
    update,
    change: (change) => update((before) => ({ ...before, ...change })),
    save: () => void (isPending || mutate()),
    isSaving: isPending,
    error,
    clearError: reset,
    conflict: theirs && compare(theirs),
    resolve: (chosen) => {
      if (theirs !== null) setState((before) => rebase(before, theirs, chosen, toValues));
      setTheirs(null);
    },
    showChanges: hasChanged ? () => setTheirs(stored) : null,
    isRestored: isRestored && isUnsaved,
    lacksSecrets,
    discard: () => {
      setRestored(false);
      setState((before) => ({ ...before, values: before.base }));
    },
    close: () => {
      setClosed(true);
      drop();
    },
  };
}
