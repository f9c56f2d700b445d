import { findWorst, type State } from "../../pages/states.ts";
import type { FollowedCheck } from "../states/index.ts";
import type { Follow } from "../status-pages/index.ts";
import type { Severity } from "./incident.ts";
import { isFailing } from "./service-uptime.ts";
import type { CheckTrouble } from "./trouble-store.ts";

/** Combined state of the checks that a service follows. */
export interface FollowedState {
  readonly status: State;
  /** Start of the state, if it is a failure with a known start. */
  readonly since: Date | null;
  /** Active checks; paused ones are not included. */
  readonly checkIds: readonly string[];
}

/** A failure of a followed check, limited to the time in which the service followed it. */
export type FollowedTrouble = Pick<CheckTrouble, "status" | "startedAtMs" | "endedAtMs">;

export interface Followed {
  /** `null` for a service that follows no checks; its state comes from its incidents alone. */
  readonly state: FollowedState | null;
  readonly troubles: readonly FollowedTrouble[];
}

const followsCheck = (follow: Follow, check: FollowedCheck) =>
  follow.checkId === check.id || (follow.tag !== null && check.tags.includes(follow.tag));

/** Maps each followed check, by id or tag, to the time since which it is followed. */
export function resolveFollows(
  follows: readonly Follow[],
  checks: readonly FollowedCheck[],
): readonly { readonly check: FollowedCheck; readonly sinceMs: number }[] {
  return checks.flatMap((check) => {
    const since = follows.filter((follow) => followsCheck(follow, check)).map((one) => +one.since);
    return since.length === 0 ? [] : [{ check, sinceMs: Math.min(...since) }];
  });
}

function stateOfCheck(check: FollowedCheck, troubles: readonly CheckTrouble[]): State {
  const open = troubles.find(({ endedAtMs }) => endedAtMs === null);
  if (open !== undefined) return open.status;
  return check.hasRun ? "passing" : "unknown";
}

/** Returns `unknown` if none of the followed checks is active. */
function decideFollowedState(
  checks: readonly FollowedCheck[],
  troubles: ReadonlyMap<string, readonly CheckTrouble[]>,
): FollowedState {
  const active = checks.filter(({ isActive }) => isActive);
  const parts = active.map((check) => stateOfCheck(check, troubles.get(check.id) ?? []));
  const status = findWorst(parts) ?? "unknown";
  const beginnings = active.flatMap(({ id }) =>
    (troubles.get(id) ?? [])
      .filter((trouble) => trouble.endedAtMs === null && trouble.status === status)
      .map(({ startedAtMs }) => startedAtMs),
  );
  return {
    status,
    since: beginnings.length === 0 ? null : new Date(Math.min(...beginnings)),
    checkIds: active.map(({ id }) => id),
  };
}

/** A check has no data before its first run, so that time does not count as passing. */
function listTroubles(
  check: FollowedCheck,
  troubles: ReadonlyMap<string, readonly CheckTrouble[]>,
  sinceMs: number,
): readonly FollowedTrouble[] {
  const known = troubles.get(check.id) ?? [];
  if (!check.isActive || check.hasRun || known.length > 0) return known;
  return [{ status: "unknown", startedAtMs: sinceMs, endedAtMs: null }];
}

/**
 * Combines the checks that a service follows. Failures before the service followed the check do not
 * count.
 */
export function combineFollowed(
  follows: readonly Follow[],
  checks: readonly FollowedCheck[],
  troubles: ReadonlyMap<string, readonly CheckTrouble[]>,
): Followed {
  if (follows.length === 0) return { state: null, troubles: [] };
  const followed = resolveFollows(follows, checks);
  const own = followed.flatMap(({ check, sinceMs }) =>
    listTroubles(check, troubles, sinceMs)
      .filter(({ endedAtMs }) => endedAtMs === null || endedAtMs > sinceMs)
      .map(({ status, startedAtMs, endedAtMs }) => ({
        status,
        startedAtMs: Math.max(startedAtMs, sinceMs),
        endedAtMs,
      })),
  );
  const state = decideFollowedState(
    followed.map(({ check }) => check),
    troubles,
  );
  return { state, troubles: own };
}

/** An incident of lower severity counts as degraded. */
export function stateOfSeverity(severity: Severity): State {
  return isFailing(severity) ? "failing" : "degraded";
}

/**
 * Returns the worse of the open incidents and the followed checks. Maintenance does not change it.
 */
export function decideServiceState(
  trouble: Severity | undefined,
  followed: FollowedState | null,
): State {
  const parts = [
    ...(trouble === undefined ? [] : [stateOfSeverity(trouble)]),
    ...(followed === null ? [] : [followed.status]),
  ];
  return findWorst(parts) ?? "passing";
}
