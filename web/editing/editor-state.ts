/** State of a form: its values and the version of the object that the values are based on. */

import { type Dispatch, type SetStateAction, useEffect, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { isSame } from "../parts/fields.ts";
import { stripSecrets } from "../parts/secrets.ts";
import { combine, hasNews } from "./merge.ts";

/** Object returned by the API with its ETag, which an update sends as `If-Match`. */
export interface Version<Item> {
  readonly data: Item;
  readonly etag: string | null;
}

export interface EditorState<Item, Values extends object> {
  readonly values: Values;
  /** Version that the user edits; `null` for a new object. */
  readonly version: Version<Item> | null;
  /** Values of the edited version, or the initial values of a new object. */
  readonly base: Values;
  /**
   * ETags of versions that this form has replaced. A late response may still contain an old
   * version, which must not count as a change by another user.
   */
  readonly replaced: readonly (string | null)[];
}

/** Unsaved input as stored in the tab's session storage. */
interface Draft<Item, Values> {
  readonly values: Values;
  /** Version that the user edited; `null` for a new object. */
  readonly version: Version<Item> | null;
  /** Whether secrets were removed before the draft was stored. */
  readonly lacksSecrets: boolean;
}

type ToValues<Item, Values> = (item: Item) => Values;

interface Beginning<Item, Values extends object> {
  readonly state: EditorState<Item, Values>;
  readonly isRestored: boolean;
  readonly lacksSecrets: boolean;
}

function startFrom<Item, Values extends object>(
  version: Version<Item>,
  toValues: ToValues<Item, Values>,
): EditorState<Item, Values> {
  const base = toValues(version.data);
  return { values: base, version, base, replaced: [] };
}

/**
 * Returns the initial state. A draft of the same object takes precedence over the stored version or
 * the initial values.
 */
export function beginEditing<Item, Values extends object>(from: {
  readonly stored: Version<Item> | null;
  readonly initial: Values | undefined;
  readonly draft: Draft<Item, Values> | null;
  readonly toValues: ToValues<Item, Values>;
}): Beginning<Item, Values> {
  const { stored, initial, draft, toValues } = from;
  const start = (version: Version<Item> | null) => {
    if (version !== null) return startFrom(version, toValues);
    if (initial === undefined) throw new Error("A new object needs initial values.");
    return { values: initial, version, base: initial, replaced: [] };
  };
  const fresh = { state: start(stored), isRestored: false, lacksSecrets: false };
  if (draft === null || (draft.version === null) !== (stored === null)) return fresh;
  try {
    const state = { ...start(draft.version), values: draft.values };
    return { state, isRestored: true, lacksSecrets: draft.lacksSecrets };
  } catch {
    // The draft comes from an earlier release, in which the object had a different structure.
    return fresh;
  }
}

export function isDirty<Item, Values extends object>(state: EditorState<Item, Values>): boolean {
  return !isSame(state.values, state.base);
}

/** Returns whether another user has stored a newer version than the edited one. */
export function isNewer<Item, Values extends object>(
  { version, replaced }: EditorState<Item, Values>,
  stored: Version<Item> | null,
): stored is Version<Item> {
  if (stored === null || version === null) return false;
  return stored.etag !== version.etag && !replaced.includes(stored.etag);
}

/**
 * Replaces the edited version with a newer version that another user has stored. Returns the state
 * unchanged if there is no newer version or if the form has unsaved input.
 */
export function follow<Item, Values extends object>(
  state: EditorState<Item, Values>,
  stored: Version<Item> | null,
  toValues: ToValues<Item, Values>,
): EditorState<Item, Values> {
  if (!isNewer(state, stored) || isDirty(state)) return state;
  return startFrom(stored, toValues);
}

interface Saved<Item, Values extends object> {
  readonly saved: Version<Item>;
  /** Form values that the save request sent. */
  readonly sent: Values;
  /** ETag of the version that the saved version replaced. */
  readonly replacedEtag: string | null;
}

/** Continues from the saved version, and keeps the input typed while it was being saved. */
export function applySaved<Item, Values extends object>(
  state: EditorState<Item, Values>,
  { saved, sent, replacedEtag }: Saved<Item, Values>,
  toValues: ToValues<Item, Values>,
): EditorState<Item, Values> {
  const base = toValues(saved.data);
  const values = combine({ base: sent, mine: state.values, theirs: base });
  const { version } = state;
  const replaced = version === null ? [] : [version.etag, replacedEtag];
  return { values, version: saved, base, replaced };
}

/**
 * Replaces the edited version with another user's version, and the form values with those that the
 * user has chosen. The ETag of the replaced version is remembered. The cache may still contain the
 * replaced version, which must not count as a change by another user.
 */
export function rebase<Item, Values extends object>(
  { version, replaced }: EditorState<Item, Values>,
  theirs: Version<Item>,
  values: Values,
  toValues: ToValues<Item, Values>,
): EditorState<Item, Values> {
  const older = version === null ? replaced : [version.etag, ...replaced];
  return { ...startFrom(theirs, toValues), values, replaced: older };
}

/**
 * Maximum number of attempts to save. An attempt fails if another user has saved the object in the
 * meantime.
 */
const maxAttempts = 3;

type Outcome<Item, Values> =
  | {
      readonly kind: "saved";
      readonly saved: Version<Item>;
      readonly sent: Values;
      readonly replacedEtag: string | null;
    }
  /** Nothing was saved. `theirs` is the version that another user has stored. */
  | { readonly kind: "conflict"; readonly theirs: Version<Item> };

export interface SaveOptions<Item, Values> {
  readonly toValues: (item: Item) => Values;
  /**
   * Creates the object if `version` is `null`. Otherwise updates it with `ifMatch(version.etag)`.
   */
  readonly send: (values: Values, version: Version<Item> | null) => Promise<Version<Item>>;
  /** Fetches the current version of the object. */
  readonly refetch?: (item: Item) => Promise<Version<Item>>;
}

/** Returns the request header that rejects an update of any version other than `etag`. */
export const ifMatch = (etag: string | null): { "if-match"?: string } =>
  etag === null ? {} : { "if-match": etag };

const isPreconditionFailed = (error: unknown) => error instanceof ApiError && error.status === 412;

/**
 * Saves the values, or returns the conflicting version that another user has stored. If that
 * version differs only in fields outside the form, there is no conflict, and the values are saved
 * on top of it.
 */
export async function saveWithEtag<Item, Values extends object>(
  { values: mine, version, base }: EditorState<Item, Values>,
  { toValues, send, refetch }: SaveOptions<Item, Values>,
): Promise<Outcome<Item, Values>> {
  let current = version;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const saved = await send(mine, current);
      return { kind: "saved", saved, sent: mine, replacedEtag: current?.etag ?? null };
    } catch (error) {
      const canRetry = isPreconditionFailed(error) && attempt < maxAttempts;
      if (!canRetry || current === null || refetch === undefined) throw error;
      current = await refetch(current.data);
      const theirs = toValues(current.data);
      if (hasNews({ base, mine, theirs })) return { kind: "conflict", theirs: current };
    }
  }
}

// Drafts are stored in the tab's session storage, so that unsaved input survives a reload and the
// end of the session. `claimDrafts` deletes the drafts when a different user signs in.

const prefix = "vedette.draft.";
const maxDraftLength = 1_000_000;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Parses a draft. Returns `null` if the text is not a draft. */
export function parseDraft<Item, Values>(text: string): Draft<Item, Values> | null {
  try {
    const { values, version, lacksSecrets } = JSON.parse(text);
    const isVersion = version === null || (isObject(version) && "data" in version);
    if (!isObject(values) || Array.isArray(values) || !isVersion) return null;
    return { values: values as Values, version, lacksSecrets: lacksSecrets === true };
  } catch {
    return null;
  }
}

export function readDraftText(key: string): string {
  try {
    return sessionStorage.getItem(prefix + key) ?? "";
  } catch {
    return "";
  }
}

/** Stores the text of a draft, or deletes the draft if the text is empty. */
export function keepDraftText(key: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(prefix + key);
    else if (text.length <= maxDraftLength) sessionStorage.setItem(prefix + key, text);
  } catch {
    // Storage is full or forbidden, so the draft is lost if the page is reloaded.
  }
}

export function readDraft<Item, Values>(key: string): Draft<Item, Values> | null {
  return parseDraft(readDraftText(key));
}

/** Stores a draft without its secrets, which must not remain in storage after the session. */
export function keepDraft<Item, Values>(
  key: string,
  draft: Draft<Item, Values>,
  clean: (values: Values) => Values = (same) => same,
): void {
  const values = stripSecrets(clean(draft.values));
  const lacksSecrets = draft.lacksSecrets || !isSame(values, draft.values);
  // Secrets are removed from both the values and the version. Otherwise, an unchanged secret would
  // count as a change.
  const version = stripSecrets(draft.version);
  keepDraftText(key, JSON.stringify({ values, version, lacksSecrets }));
}

export const dropDraft = (key: string): void => keepDraftText(key, "");

/**
 * State of a small form. The input is stored in the tab's session storage, so that it survives a
 * reload and a new sign-in.
 */
export function useDraft<Draft>(
  key: string,
  start: Draft,
  /** Removes values that must not be stored, such as secrets. */
  clean: (draft: Draft) => Draft = (same) => same,
): readonly [Draft, Dispatch<SetStateAction<Draft>>, () => void] {
  const [draft, setDraft] = useState<Draft>(() => parse<Draft>(readDraftText(key)) ?? start);
  const [isTouched, setTouched] = useState(false);
  useEffect(() => {
    if (isTouched) keepDraftText(key, JSON.stringify(clean(draft)));
  }, [key, draft, isTouched, clean]);
  const change: Dispatch<SetStateAction<Draft>> = (next) => {
    setTouched(true);
    setDraft(next);
  };
  const forget = () => {
    setTouched(false);
    keepDraftText(key, "");
  };
  return [draft, change, forget];
}

function parse<Draft>(text: string): Draft | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
