import { ApiError } from "../api/api-error.ts";
import type { EditorState, Version } from "./editor-state.ts";
import { hasNews } from "./merge.ts";

/** Writers that may get in between before a save is abandoned. */
const maxAttempts = 3;

export type Outcome<Item, Values> =
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
