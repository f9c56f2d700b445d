import type { Service } from "../status-page.ts";

export const maxFollowedChecks = 100;
export const maxFollowedTags = 20;

/** The checks whose state is the service's too: named one by one, and all that have a tag. */
export interface Follows {
  readonly checkIds: readonly string[];
  readonly tags: readonly string[];
}

export interface FollowsInput {
  readonly checkIds?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Each once, in the spelling in which ids are stored. */
export function normaliseFollows({ checkIds = [], tags = [] }: FollowsInput): Follows {
  const ids = checkIds.map((id) => id.toLowerCase());
  return { checkIds: [...new Set(ids)], tags: [...new Set(tags)] };
}

/** One of them, with the moment it began. */
export interface Follow {
  readonly serviceId: string;
  readonly checkId: string | null;
  readonly tag: string | null;
  readonly since: Date;
}

export interface FollowingService extends Service {
  readonly follows: Follows;
}

/** Sorted, so that the same follows are always shown the same way. */
export function toFollows(rows: readonly Follow[]): Follows {
  return {
    checkIds: rows.flatMap(({ checkId }) => checkId ?? []).sort(),
    tags: rows.flatMap(({ tag }) => tag ?? []).sort(),
  };
}
