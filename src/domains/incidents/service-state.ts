import { findWorst, type State } from "../../pages/states.ts";
import type { CheckTrouble, FollowedCheck } from "../runs/index.ts";
import type { Follow } from "../status-pages/index.ts";
import type { Severity } from "./incident.ts";
import { isFailing } from "./service-uptime.ts";

/** What the checks say that a service follows. */
export interface FollowedState {
  readonly status: State;
  /** Since when it has been that, where it is a trouble whose beginning is known. */
  readonly since: Date | null;
  /** Of the checks that run; paused ones do not count. */
  readonly checkIds: readonly string[];
}

/** A trouble of a followed check, as far as it is the service's. */
export type FollowedTrouble = Pick<CheckTrouble, "status" | "startedAtMs" | "endedAtMs">;

export interface Followed {
  /** Null for a service that follows nothing: only its incidents count. */
  readonly state: FollowedState | null;
  readonly troubles: readonly FollowedTrouble[];
}

const followsCheck = (follow: Follow, check: FollowedCheck) =>
  follow.checkId === check.id || (follow.tag !== null && check.tags.includes(follow.tag));

/** Each check that is followed, by name or by a tag, with the moment since which it is. */
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

/** Unknown when none of the followed checks runs. */
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

/** Nothing is known of a check before its first run, so the time until then is not passing. */
function listTroubles(
  check: FollowedCheck,
  troubles: ReadonlyMap<string, readonly CheckTrouble[]>,
  sinceMs: number,
): readonly FollowedTrouble[] {
  const known = troubles.get(check.id) ?? [];
  if (!check.isActive || check.hasRun || known.length > 0) return known;
  return [{ status: "unknown", startedAtMs: sinceMs, endedAtMs: null }];
}

/** What a service follows, put together. Nothing counts from before it was followed. */
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

/** An incident that leaves the service working makes it degraded. */
export function stateOfSeverity(severity: Severity): State {
  return isFailing(severity) ? "failing" : "degraded";
}

/** The worse of its open incidents and its checks; maintenance does not change it. */
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
