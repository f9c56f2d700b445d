/**
 * Invariants that must hold whatever was killed, paused or cut. Each invariant is a pure function
 * over the evidence that returns descriptions of its violations.
 */
import type { CheckFact, Evidence, RunFact, Verdict } from "./evidence.ts";
import { canHaveChanged } from "./verdict-walk.ts";

export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

/** Time around a target's change in which a request may receive either response. */
const changeMarginMs = 250;
/**
 * Tolerance for the clock of a new probe. Its error is up to half the round trip of its first
 * hello.
 */
const clockMarginMs = 250;

function listDueMs({ periodMs, splayMs }: CheckFact, fromMs: number, toMs: number): number[] {
  const firstMs = splayMs + Math.ceil((fromMs - splayMs) / periodMs) * periodMs;
  const count = Math.max(0, Math.ceil((toMs - firstMs) / periodMs));
  return Array.from({ length: count }, (_, number) => firstMs + number * periodMs);
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}

function nameRun({ checkId, dueAtMs, location, attempt }: RunFact): string {
  return `run of ${checkId} due ${formatTime(dueAtMs)} at ${location}, attempt ${attempt}`;
}

/** Checks that every due run is recorded or lies in a counted gap. */
export function findUnaccountedRuns({ checks, span, runs, gaps }: Evidence): string[] {
  const recorded = new Set(runs.map((run) => `${run.checkId} ${run.dueAtMs} ${run.location}`));
  const anywhere = new Set(runs.map((run) => `${run.checkId} ${run.dueAtMs}`));
  return checks.flatMap((check) => {
    const own = gaps.filter(({ checkId }) => checkId === check.checkId);
    const isCounted = (dueMs: number, location: string | null) =>
      own.some(
        (gap) =>
          dueMs > gap.afterMs &&
          dueMs < gap.beforeMs &&
          (gap.location === null || gap.location === location),
      );
    const places = check.isParallel ? check.locations : [null];
    return listDueMs(check, Math.max(span.fromMs, check.sinceMs + 1), span.toMs).flatMap((dueMs) =>
      places
        .filter((place) =>
          place === null
            ? !anywhere.has(`${check.checkId} ${dueMs}`)
            : !recorded.has(`${check.checkId} ${dueMs} ${place}`),
        )
        .filter((place) => !isCounted(dueMs, place))
        .map(
          (place) => `run of ${check.checkId} due ${formatTime(dueMs)} at ${place ?? "any place"}`,
        ),
    );
  });
}

/** Checks that the count of every gap equals the number of runs due in the gap. */
export function findMiscountedGaps({ checks, gaps }: Evidence): string[] {
  const byId = new Map(checks.map((check) => [check.checkId, check]));
  return gaps.flatMap(({ checkId, afterMs, beforeMs, dueCount }) => {
    const check = byId.get(checkId);
    if (check === undefined) return [];
    const count = listDueMs(check, Math.max(afterMs, check.sinceMs) + 1, beforeMs).length;
    if (count === dueCount) return [];
    return [
      `gap of ${checkId} after ${formatTime(afterMs)} counts ${dueCount}, and ${count} were due`,
    ];
  });
}

/** Checks that every run has exactly one final result, and consecutive attempt numbers. */
export function findRepeatedRuns({ checks, runs, span }: Evidence): string[] {
  const parallel = new Set(checks.filter((one) => one.isParallel).map((one) => one.checkId));
  const groups = Map.groupBy(runs, ({ checkId, dueAtMs, location }) =>
    // The location is not part of the key of a check without parallel runs, because a retry may run
    // at another location.
    parallel.has(checkId) ? `${checkId} ${dueAtMs} ${location}` : `${checkId} ${dueAtMs}`,
  );
  return [...groups.values()].flatMap((attempts) => {
    const [first] = attempts;
    if (first === undefined) return [];
    const finals = attempts.filter(({ isFinal }) => isFinal).length;
    const numbers = attempts.map(({ attempt }) => attempt).toSorted((a, b) => a - b);
    const isInRow = numbers.every((attempt, place) => attempt === place + 1);
    const isOpen = finals === 0 && first.dueAtMs >= span.toMs;
    if ((finals === 1 || isOpen) && isInRow) return [];
    return [`${nameRun(first)}: attempts ${numbers.join(", ")}, ${finals} of them final`];
  });
}

/** Checks that every run was due by the schedule, at one of the locations of its check. */
export function findShiftedRuns({ checks, runs }: Evidence): string[] {
  const byId = new Map(checks.map((check) => [check.checkId, check]));
  return runs.flatMap((run) => {
    const check = byId.get(run.checkId);
    if (check === undefined) return [`${nameRun(run)}: there is no such check`];
    const shiftMs = (run.dueAtMs - check.splayMs) % check.periodMs;
    if (shiftMs !== 0) return [`${nameRun(run)}: ${shiftMs} ms off the schedule`];
    return check.locations.includes(run.location) ? [] : [`${nameRun(run)}: not one of its places`];
  });
}

/**
 * Checks that the verdict of every measured run matches the state of its target when the run
 * started.
 */
export function findUntrueRuns({ checks, runs, targetChanges }: Evidence): string[] {
  const targets = new Map(checks.map(({ checkId, target }) => [checkId, target]));
  const changes = Map.groupBy(targetChanges, ({ target }) => target);
  return runs.flatMap((run) => {
    if (run.verdict === "unknown" || run.trouble !== null) return [];
    const isEarly = run.startedAtMs < run.dueAtMs - clockMarginMs;
    if (isEarly) return [`${nameRun(run)}: started before it was due`];
    const own = changes.get(targets.get(run.checkId) ?? -1) ?? [];
    const wasUp = own.findLast(({ atMs }) => atMs < run.startedAtMs - changeMarginMs)?.isUp ?? true;
    const isDoubtful = own.some(
      ({ atMs }) =>
        atMs >= run.startedAtMs - changeMarginMs && atMs <= run.stoppedAtMs + changeMarginMs,
    );
    const saysUp = run.verdict !== "failing";
    if (isDoubtful || saysUp === wasUp) return [];
    const state = wasUp ? "up" : "down";
    return [
      `${nameRun(run)}: ${run.verdict} at ${formatTime(run.startedAtMs)}, and it was ${state}`,
    ];
  });
}

/** Checks that the states of each check follow from its runs, ordered by due time. */
export function findWrongChanges({ checks, runs, changes }: Evidence): string[] {
  const finals = Map.groupBy(
    runs.filter(({ isFinal }) => isFinal),
    ({ checkId }) => checkId,
  );
  const changesOf = Map.groupBy(changes, ({ checkId }) => checkId);
  return checks.flatMap((check) => {
    const own = (finals.get(check.checkId) ?? []).toSorted((a, b) => a.dueAtMs - b.dueAtMs);
    const known = listKnown(changesOf.get(check.checkId) ?? []);
    if (canHaveChanged(check, own, known)) return [];
    const expected = own
      .filter(({ verdict }, place) => own[place - 1]?.verdict !== verdict)
      .map(({ verdict, dueAtMs }) => `${verdict} ${formatTime(dueAtMs)}`);
    return [`${check.checkId}: runs say ${expected.join(", ")}; states went ${known.join(", ")}`];
  });
}

/**
 * Returns the known states without repetitions. Missing data is not evidence about the target, so
 * only the states before and after it count.
 */
function listKnown(changes: Evidence["changes"]): Verdict[] {
  const known = changes.map(({ to }) => to).filter((to) => to !== "unknown");
  return known.filter((to, place) => to !== known[place - 1]);
}

const alertKinds: Readonly<Record<string, string>> = {
  "passing>degraded": "ALERT_DEGRADED",
  "passing>failing": "ALERT_FAILURE",
  "degraded>failing": "ALERT_DEGRADED_FAILURE",
  "failing>degraded": "ALERT_FAILURE_DEGRADED",
  "degraded>passing": "ALERT_DEGRADED_RECOVERY",
  "failing>passing": "ALERT_RECOVERY",
};

/**
 * Checks that the sent alerts of each check are exactly those that its state changes require, in
 * order.
 */
export function findWrongAlerts({ checks, changes, alerts }: Evidence): string[] {
  const changesOf = Map.groupBy(changes, ({ checkId }) => checkId);
  const alertsOf = Map.groupBy(alerts, ({ checkId }) => checkId);
  return checks.flatMap(({ checkId }) => {
    const known: Verdict[] = ["passing", ...listKnown(changesOf.get(checkId) ?? [])];
    const wanted = known.flatMap((to, place) => alertKinds[`${known[place - 1]}>${to}`] ?? []);
    const sent = (alertsOf.get(checkId) ?? []).map(({ kind }) => kind);
    if (wanted.join() === sent.join()) return [];
    return [`${checkId}: the rules require ${wanted.join(", ")}; sent were ${sent.join(", ")}`];
  });
}

/**
 * Checks that every alert has exactly one delivery per channel, that every delivery arrived, and
 * that nothing else arrived.
 */
export function findWrongDeliveries(evidence: Evidence): string[] {
  const { alerts, channelIds, deliveries, arrivals } = evidence;
  const wanted = alerts.flatMap(({ id }) => channelIds.map((channel) => `${id} ${channel}`));
  const made = Map.groupBy(deliveries, ({ alertId, channelId }) => `${alertId} ${channelId}`);
  const arrived = new Set(arrivals.map(({ key }) => key));
  const keys = new Set(deliveries.map(({ key }) => key));
  return [
    ...wanted
      .filter((one) => made.get(one)?.length !== 1)
      .map((one) => `alert ${one}: ${made.get(one)?.length ?? 0} deliveries`),
    ...[...made.keys()]
      .filter((one) => !wanted.includes(one))
      .map((one) => `delivery of ${one}, which is no alert of a channel`),
    ...deliveries
      .filter(({ key, status }) => status !== "SENT" || !arrived.has(key))
      .map(({ key, status }) => `delivery ${key} is ${status}, arrived: ${arrived.has(key)}`),
    ...[...arrived]
      .filter((key) => !keys.has(key))
      .map((key) => `${key} arrived, but was never sent`),
  ];
}

/**
 * Checks that the receiver sees one message per alert, in order. Repeated deliveries are ignored,
 * because they have the idempotency key of the first delivery.
 */
export function findConfusingArrivals({ alerts, arrivals }: Evidence): string[] {
  const firsts = [...new Map(arrivals.toReversed().map((one) => [one.key, one])).values()];
  const inOrder = firsts.toReversed();
  const decided = Map.groupBy(alerts, ({ checkId }) => checkId);
  const got = Map.groupBy(inOrder, ({ checkId }) => checkId);
  return [...new Set([...decided.keys(), ...got.keys()])].flatMap((checkId) => {
    const [sent, seen] = [decided.get(checkId) ?? [], got.get(checkId) ?? []].map((list) =>
      list.map(({ kind }) => kind).join(", "),
    );
    return sent === seen ? [] : [`${checkId}: sent ${sent}; the receiver saw ${seen}`];
  });
}

/** Checks that every acknowledged write is stored exactly once. */
export function findLostWrites({ writes }: Evidence): string[] {
  const stored = Map.groupBy(writes.stored, (name) => name);
  return writes.acknowledged
    .filter((name) => stored.get(name)?.length !== 1)
    .map((name) => `${name} was acknowledged and is stored ${stored.get(name)?.length ?? 0} times`);
}

const invariants = {
  "every due run is recorded or counted as missed": findUnaccountedRuns,
  "a gap counts the runs that were due in it": findMiscountedGaps,
  "every run is recorded once": findRepeatedRuns,
  "runs follow the schedule": findShiftedRuns,
  "results match the state of the target at their own time": findUntrueRuns,
  "states follow the runs in the order they were due": findWrongChanges,
  "every change is followed by exactly the alerts that the rules require": findWrongAlerts,
  "every alert is delivered once per channel": findWrongDeliveries,
  "the receiver sees each alert under one key, in order": findConfusingArrivals,
  "no acknowledged write is lost": findLostWrites,
} as const;

export const invariantNames = Object.keys(invariants);

export function findViolations(evidence: Evidence): Violation[] {
  return Object.entries(invariants).flatMap(([invariant, find]) =>
    find(evidence).map((what) => ({ invariant, what })),
  );
}
