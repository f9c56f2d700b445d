import type { Service } from "../status-page.ts";

export const maxFollowedChecks = 100;
export const maxFollowedTags = 20;

/** The checks whose troubles are a service's: named one by one, and all that have a tag. */
export interface Follows {
  readonly checkIds: readonly string[];
  readonly tags: readonly string[];
}

/** One of them, with the moment since which the service follows it. */
export interface Follow {
  readonly serviceId: string;
  readonly checkId: string | null;
  readonly tag: string | null;
  readonly since: Date;
}

export interface FollowingService extends Service {
  readonly follows: Follows;
}

/** In an order of their own, so that the same follows are always written the same way. */
export function toFollows(rows: readonly Follow[]): Follows {
  return {
    checkIds: rows.flatMap(({ checkId }) => checkId ?? []).sort(),
    tags: rows.flatMap(({ tag }) => tag ?? []).sort(),
  };
}
