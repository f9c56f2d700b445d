/** State of a form: its values and the version of the object that they change. Pure. */

import { type Dispatch, type SetStateAction, useEffect, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { isSame } from "../parts/fields.ts";
import { stripSecrets } from "../parts/secrets.ts";
import { combine, hasNews } from "./merge.ts";

/** An object as the API returned it, with the ETag that a change names in `If-Match`. */
export interface Version<Item> {
  readonly data: Item;
  readonly etag: string | null;
}

export interface EditorState<Item, Values extends object> {
  readonly values: Values;
  /** Version that the values change; `null` for a new object. */
  readonly version: Version<Item> | null;
  /** Values of that version, or the initial values of a new object. */
  readonly base: Values;
  /** ETags of versions that this form has replaced: a late answer may still carry one. */
  readonly replaced: readonly (string | null)[];
}

/** Unsaved input as it is stored in the tab. */
interface Draft<Item, Values> {
  readonly values: Values;
  /** Version that the values change; `null` for a new object. */
  readonly version: Version<Item> | null;
  /** Whether secrets were removed before the values were stored. */
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

/** Starts with the draft if there is one of the same object, else with what is stored. */
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
    // The draft is from a release whose objects had another shape.
    return fresh;
  }
}

export function isDirty<Item, Values extends object>(state: EditorState<Item, Values>): boolean {
  return !isSame(state.values, state.base);
}

/** Whether somebody else stored another version than the one that is edited. */
export function isNewer<Item, Values extends object>(
  { version, replaced }: EditorState<Item, Values>,
  stored: Version<Item> | null,
): stored is Version<Item> {
  if (stored === null || version === null) return false;
  return stored.etag !== version.etag && !replaced.includes(stored.etag);
}

/** Shows a version that somebody else stored, unless that would replace unsaved input. */
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
  /** Values that the request sent. */
  readonly sent: Values;
  /** ETag of the version that the save replaced. */
  readonly replacedEtag: string | null;
}

/** Continues from the saved version, with what was typed while it was being saved. */
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
 * Continues from the other writer's version with the values that were chosen. The version that was
 * edited may still be in the cache, and must not be taken for a newer one.
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

/** Writers that may get in between before a save is abandoned. */
const maxAttempts = 3;

type Outcome<Item, Values> =
  | {
      readonly kind: "saved";
      readonly saved: Version<Item>;
      readonly sent: Values;
      readonly replacedEtag: string | null;
    }
  /** Nothing was saved; `theirs` is what somebody else stored. */
  | { readonly kind: "conflict"; readonly theirs: Version<Item> };

export interface SaveOptions<Item, Values> {
  readonly toValues: (item: Item) => Values;
  /** Creates the object if `version` is `null`, else changes it with `ifMatch(version.etag)`. */
  readonly send: (values: Values, version: Version<Item> | null) => Promise<Version<Item>>;
  /** Fetches the current version of an object. */
  readonly refetch?: (item: Item) => Promise<Version<Item>>;
}

/** Returns the header that rejects a change of any other version. */
export const ifMatch = (etag: string | null): { "if-match"?: string } =>
  etag === null ? {} : { "if-match": etag };

const isPreconditionFailed = (error: unknown) => error instanceof ApiError && error.status === 412;

/**
 * Saves, or returns the version that somebody else stored meanwhile. A version that differs only
 * in what the form does not show is no conflict: the values are saved on top of it.
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

// Unsaved input in the storage of the tab, so that the end of a session or a reload loses nothing.
// `claimDrafts` deletes it when somebody else signs in.

const prefix = "vedette.draft.";
const maxDraftLength = 1_000_000;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Returns `null` for text that is not a draft. */
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

/** Stores a text, or deletes it if it is empty. */
export function keepDraftText(key: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(prefix + key);
    else if (text.length <= maxDraftLength) sessionStorage.setItem(prefix + key, text);
  } catch {
    // Storage is full or forbidden. The browser asks before the page is left.
  }
}

export function readDraft<Item, Values>(key: string): Draft<Item, Values> | null {
  return parseDraft(readDraftText(key));
}

/** Stores a draft without its secrets, which must not outlive the session. */
export function keepDraft<Item, Values>(
  key: string,
  draft: Draft<Item, Values>,
  clean: (values: Values) => Values = (same) => same,
): void {
  const values = stripSecrets(clean(draft.values));
  const lacksSecrets = draft.lacksSecrets || !isSame(values, draft.values);
  // Both sides lose the same secrets, so that one which nobody changed is not sent.
  const version = stripSecrets(draft.version);
  keepDraftText(key, JSON.stringify({ values, version, lacksSecrets }));
}

export const dropDraft = (key: string): void => keepDraftText(key, "");

/** Keeps the input of a small form in the storage of the tab, also across a sign-in. */
export function useDraft<Draft>(
  key: string,
  start: Draft,
  /** Removes what the storage must not hold, such as secrets. */
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
