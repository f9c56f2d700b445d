/** State of a form: its values and the version of the object that they change. Pure. */
import { isSame } from "../parts/fields.ts";
import { combine } from "./merge.ts";

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
export interface Draft<Item, Values> {
  readonly values: Values;
  /** Version that the values change; `null` for a new object. */
  readonly version: Version<Item> | null;
  /** Whether secrets were removed before the values were stored. */
  readonly lacksSecrets: boolean;
}

type ToValues<Item, Values> = (item: Item) => Values;

export interface Beginning<Item, Values extends object> {
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

export interface Saved<Item, Values extends object> {
  readonly saved: Version<Item>;
  /** Values that were sent. */
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
