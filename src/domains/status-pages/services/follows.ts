import type { Service } from "../status-page.ts";

export const maxFollowedChecks = 100;
export const maxFollowedTags = 20;

/** The checks that determine the state of a service: by id, and all that have a tag. */
export interface Follows {
  readonly checkIds: readonly string[];
  readonly tags: readonly string[];
}

export interface FollowsInput {
  readonly checkIds?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Removes duplicates; ids are in lower case as they are stored. */
export function normaliseFollows({ checkIds = [], tags = [] }: FollowsInput): Follows {
  const ids = checkIds.map((id) => id.toLowerCase());
  return { checkIds: [...new Set(ids)], tags: [...new Set(tags)] };
}

/** One followed check or tag, with the time it started. */
export interface Follow {
  readonly serviceId: string;
  readonly checkId: string | null;
  readonly tag: string | null;
  readonly since: Date;
}

export interface FollowingService extends Service {
  readonly follows: Follows;
}

/** Sorted, so that the output is deterministic. */
export function toFollows(rows: readonly Follow[]): Follows {
  return {
    checkIds: rows.flatMap(({ checkId }) => checkId ?? []).sort(),
    tags: rows.flatMap(({ tag }) => tag ?? []).sort(),
  };
}
