import { findWorst, type State } from "../../pages/states.ts";
import { formatDate } from "../../platform/dates.ts";
import type { FollowedCheck } from "../../runs/states/index.ts";
import { computeAvailability } from "../../runs/statistics/index.ts";
import type { Follow } from "../../sites/status-pages/index.ts";
import type { OpenSpan, Severity } from "./incident.ts";
import type { CheckTrouble } from "./trouble-store.ts";

/** A time interval that includes its start but not its end. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The fields of an incident that affect the uptime of its services. */
export interface Outage {
  readonly incidentId: string;
  readonly severity: Severity;
  readonly openSpans: readonly OpenSpan[];
}

/** Events in the life of one service, from which its uptime is computed. */
export interface ServiceHistory {
  /** Start of the data: creation of the service, or its first incident if that is earlier. */
  readonly knownFromMs: number;
  readonly outages: readonly Outage[];
  /** Problems of the checks that the service follows, as decided by their alert rules. */
  readonly troubles?: readonly Pick<CheckTrouble, "status" | "startedAtMs" | "endedAtMs">[];
}

/** How long a service spent in each state, according to its incidents and followed checks. */
export interface ServiceTime {
  readonly failingMs: number;
  readonly degradedMs: number;
  readonly knownMs: number;
}

/** How long a service spent in each state on one UTC day. The current day ends now. */
export interface ServiceDay extends ServiceTime {
  readonly date: string;
  readonly incidentIds: readonly string[];
}

export const dayMs = 86_400_000;

/**
 * Whether an incident of this severity makes a service failing. Any other severity makes it
 * degraded, which counts as up.
 */
export function isFailing(severity: Severity): boolean {
  return severity === "CRITICAL" || severity === "MAJOR";
}

/** Clips spans to a window. A span that is still ongoing ends with the window. */
function clipSpans(spans: readonly OpenSpan[], window: Span): Span[] {
  return spans
    .map(({ fromMs, toMs }) => ({
      fromMs: Math.max(fromMs, window.fromMs),
      toMs: Math.min(toMs ?? window.toMs, window.toMs),
    }))
    .filter(({ fromMs, toMs }) => fromMs < toMs);
}

/** Merges overlapping or adjacent spans, and sorts the result by time. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((one, other) => one.fromMs - other.fromMs)) {
    const last = merged.at(-1);
    if (last === undefined || span.fromMs > last.toMs) merged.push(span);
    else if (span.toMs > last.toMs) merged[merged.length - 1] = { ...last, toMs: span.toMs };
  }
  return merged;
}

function measureWithin(merged: readonly Span[], window: Span): number {
  let totalMs = 0;
  for (const { fromMs, toMs } of merged) {
    totalMs += Math.max(0, Math.min(toMs, window.toMs) - Math.max(fromMs, window.fromMs));
  }
  return totalMs;
}

/**
 * Measures the time of a service in each state. Overlapping incidents and problems are merged so
 * that no instant counts twice, and failing takes precedence over degraded. A time in which a
 * followed check has no data is unknown, unless an incident or another check makes the service
 * failing or degraded.
 */
class Timeline {
  readonly #knownFromMs: number;
  readonly #failing: readonly Span[];
  readonly #troubled: readonly Span[];
  readonly #notPassing: readonly Span[];

  constructor({ knownFromMs, outages, troubles = [] }: ServiceHistory, window: Span) {
    const reported = outages.flatMap(({ severity, openSpans }) =>
      openSpans.map((span) => ({ ...span, status: isFailing(severity) ? "failing" : "degraded" })),
    );
    const observed = troubles.map(({ status, startedAtMs: fromMs, endedAtMs: toMs }) => ({
      fromMs,
      toMs,
      status,
    }));
    const spans = [...reported, ...observed];
    const spansOf = (...kinds: readonly string[]) =>
      mergeSpans(
        clipSpans(
          spans.filter(({ status }) => kinds.includes(status)),
          window,
        ),
      );
    this.#knownFromMs = knownFromMs;
    this.#failing = spansOf("failing");
    this.#troubled = spansOf("failing", "degraded");
    this.#notPassing = spansOf("failing", "degraded", "unknown");
  }

  measure(window: Span): ServiceTime {
    const known = { ...window, fromMs: Math.max(window.fromMs, this.#knownFromMs) };
    const failingMs = measureWithin(this.#failing, known);
    const troubledMs = measureWithin(this.#troubled, known);
    const silentMs = measureWithin(this.#notPassing, known) - troubledMs;
    return {
      failingMs,
      degradedMs: troubledMs - failingMs,
      knownMs: Math.max(0, known.toMs - known.fromMs - silentMs),
    };
  }
}

/** Measures how long a service spent in each state within a window. */
export function measureService(history: ServiceHistory, window: Span): ServiceTime {
  return new Timeline(history, window).measure(window);
}

/**
 * Lists how long a service spent in each state on each of the last `days` UTC days, oldest first.
 */
export function listServiceDays(
  history: ServiceHistory,
  period: { readonly days: number; readonly nowMs: number },
): ServiceDay[] {
  const today = Math.floor(period.nowMs / dayMs);
  const first = today - period.days + 1;
  const timeline = new Timeline(history, { fromMs: first * dayMs, toMs: period.nowMs });
  return Array.from({ length: period.days }, (_, index) => {
    const fromMs = (first + index) * dayMs;
    const day = { fromMs, toMs: Math.min(fromMs + dayMs, period.nowMs) };
    return {
      date: formatDate(new Date(fromMs)),
      ...timeline.measure(day),
      incidentIds: history.outages
        .filter(({ openSpans }) => clipSpans(openSpans, day).length > 0)
        .map(({ incidentId }) => incidentId),
    };
  });
}

export function addServiceTimes(times: readonly ServiceTime[]): ServiceTime {
  return times.reduce(
    (sum, time) => ({
      failingMs: sum.failingMs + time.failingMs,
      degradedMs: sum.degradedMs + time.degradedMs,
      knownMs: sum.knownMs + time.knownMs,
    }),
    { failingMs: 0, degradedMs: 0, knownMs: 0 },
  );
}

/**
 * Computes availability like that of a check, but from durations instead of numbers of runs.
 * Returns `null` without data.
 */
export function computeServiceAvailability(time: ServiceTime): number | null {
  const { failingMs: failing, degradedMs: degraded, knownMs } = time;
  return computeAvailability({ passing: knownMs - degraded - failing, degraded, failing });
}

/** Combined state of the checks that a service follows. */
export interface FollowedState {
  readonly status: State;
  /** Start of the current state; `null` unless the state is a problem with a known start. */
  readonly since: Date | null;
  /** Ids of the active checks that the service follows. Deactivated checks are not included. */
  readonly checkIds: readonly string[];
}

/** A problem of a followed check. The time before the service followed the check is excluded. */
export type FollowedTrouble = Pick<CheckTrouble, "status" | "startedAtMs" | "endedAtMs">;

export interface Followed {
  /**
   * Combined state; `null` if the service follows no check, so that only incidents decide its
   * state.
   */
  readonly state: FollowedState | null;
  readonly troubles: readonly FollowedTrouble[];
}

const followsCheck = (follow: Follow, check: FollowedCheck) =>
  follow.checkId === check.id || (follow.tag !== null && check.tags.includes(follow.tag));

/**
 * Lists the checks that a service follows by id or tag. `sinceMs` is the time from which the
 * service has followed the check.
 */
function resolveFollows(
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

/**
 * Returns the worst state of the active followed checks; `unknown` if no followed check is active.
 */
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

/**
 * Lists the problems of a followed check. An active check that has never run may have no recorded
 * problems. Missing data of the check then counts as a problem with the status `unknown`.
 */
function listTroubles(
  check: FollowedCheck,
  troubles: ReadonlyMap<string, readonly CheckTrouble[]>,
  sinceMs: number,
): readonly FollowedTrouble[] {
  const known = troubles.get(check.id) ?? [];
  if (!check.isActive || check.hasRun || known.length > 0) return known;
  return [{ status: "unknown", startedAtMs: sinceMs, endedAtMs: null }];
}

/** Combines followed checks. Problems from before the service followed a check do not count. */
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

/** CRITICAL and MAJOR incidents make a service failing. All other incidents make it degraded. */
function stateOfSeverity(severity: Severity): State {
  return isFailing(severity) ? "failing" : "degraded";
}

/**
 * Returns the state of a service: the worse of its open incidents and its followed checks.
 * Maintenance does not affect it.
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
