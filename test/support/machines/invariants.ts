/**
 * What must hold whatever was killed, paused or cut, as pure functions over what is left behind.
 * Each gives back what it found wrong, in words.
 */
import type { CheckFact, Evidence, RunFact, Verdict } from "./evidence.ts";
import { canHaveChanged } from "./verdict-walk.ts";

export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

/** A target that changes while it is asked may give either answer. */
const changeMarginMs = 250;
/** A probe that has just come knows the time to half the round trip of its first hello. */
const clockMarginMs = 250;

function listDueMs({ periodMs, splayMs }: CheckFact, fromMs: number, toMs: number): number[] {
  const firstMs = splayMs + Math.ceil((fromMs - splayMs) / periodMs) * periodMs;
  const count = Math.max(0, Math.ceil((toMs - firstMs) / periodMs));
  return Array.from({ length: count }, (_, number) => firstMs + number * periodMs);
}

function tell(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}

function nameRun({ checkId, dueAtMs, location, attempt }: RunFact): string {
  return `run of ${checkId} due ${tell(dueAtMs)} at ${location}, attempt ${attempt}`;
}

/** Every run that was due is recorded, or lies in a gap that is counted. */
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
        .map((place) => `run of ${check.checkId} due ${tell(dueMs)} at ${place ?? "any place"}`),
    );
  });
}

/** A gap says how many runs were due in it. */
export function findMiscountedGaps({ checks, gaps }: Evidence): string[] {
  const byId = new Map(checks.map((check) => [check.checkId, check]));
  return gaps.flatMap(({ checkId, afterMs, beforeMs, dueCount }) => {
    const check = byId.get(checkId);
    if (check === undefined) return [];
    const count = listDueMs(check, Math.max(afterMs, check.sinceMs) + 1, beforeMs).length;
    if (count === dueCount) return [];
    return [`gap of ${checkId} after ${tell(afterMs)} counts ${dueCount}, and ${count} were due`];
  });
}

/** No run has two results, or none that is final. */
export function findRepeatedRuns({ checks, runs, span }: Evidence): string[] {
  const parallel = new Set(checks.filter((one) => one.isParallel).map((one) => one.checkId));
  const groups = Map.groupBy(runs, ({ checkId, dueAtMs, location }) =>
    // In turn: one place makes the run, and a retry may be made elsewhere.
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

/** Every run was due by the schedule, at one of the places of its check. */
export function findShiftedRuns({ checks, runs }: Evidence): string[] {
  const byId = new Map(checks.map((check) => [check.checkId, check]));
  return runs.flatMap((run) => {
    const check = byId.get(run.checkId);
    if (check === undefined) return [`${nameRun(run)}: there is no such check`];
    const shiftMs = (run.dueAtMs - check.splayMs) % check.periodMs;
    if (shiftMs !== 0) return [`${nameRun(run)}: ${shiftMs} ms beside the schedule`];
    return check.locations.includes(run.location) ? [] : [`${nameRun(run)}: not one of its places`];
  });
}

/** Every measured run says what was so at its own time, and was made at that time. */
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
    return [`${nameRun(run)}: ${run.verdict} at ${tell(run.startedAtMs)}, and it was ${state}`];
  });
}

/** The states of a check are what its runs say, one after the other as they were due. */
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
    const said = own
      .filter(({ verdict }, place) => own[place - 1]?.verdict !== verdict)
      .map(({ verdict, dueAtMs }) => `${verdict} ${tell(dueAtMs)}`);
    return [`${check.checkId}: runs say ${said.join(", ")}; states went ${known.join(", ")}`];
  });
}

/** Missing data says nothing about the target: what was known before and after it counts. */
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

/** Every change of a state is followed by exactly the alert that the rules ask for, in order. */
export function findWrongAlerts({ checks, changes, alerts }: Evidence): string[] {
  const changesOf = Map.groupBy(changes, ({ checkId }) => checkId);
  const alertsOf = Map.groupBy(alerts, ({ checkId }) => checkId);
  return checks.flatMap(({ checkId }) => {
    const known: Verdict[] = ["passing", ...listKnown(changesOf.get(checkId) ?? [])];
    const wanted = known.flatMap((to, place) => alertKinds[`${known[place - 1]}>${to}`] ?? []);
    const told = (alertsOf.get(checkId) ?? []).map(({ kind }) => kind);
    if (wanted.join() === told.join()) return [];
    return [`${checkId}: the rules ask for ${wanted.join(", ")}; sent were ${told.join(", ")}`];
  });
}

/** Every alert is one delivery for each channel, and it arrived, under no other key. */
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
    ...[...arrived].filter((key) => !keys.has(key)).map((key) => `${key} arrived, and nobody sent`),
  ];
}

/** Who gets messages sees one for each alert, in order: a repeat has the key of the first. */
export function findConfusingArrivals({ alerts, arrivals }: Evidence): string[] {
  const firsts = [...new Map(arrivals.toReversed().map((one) => [one.key, one])).values()];
  const inOrder = firsts.toReversed();
  const told = Map.groupBy(alerts, ({ checkId }) => checkId);
  const got = Map.groupBy(inOrder, ({ checkId }) => checkId);
  return [...new Set([...told.keys(), ...got.keys()])].flatMap((checkId) => {
    const [sent, seen] = [told.get(checkId) ?? [], got.get(checkId) ?? []].map((list) =>
      list.map(({ kind }) => kind).join(", "),
    );
    return sent === seen ? [] : [`${checkId}: sent ${sent}; the receiver saw ${seen}`];
  });
}

/** What was answered with 2xx is there. */
export function findLostWrites({ writes }: Evidence): string[] {
  const stored = Map.groupBy(writes.stored, (name) => name);
  return writes.acknowledged
    .filter((name) => stored.get(name)?.length !== 1)
    .map((name) => `${name} was acknowledged and is there ${stored.get(name)?.length ?? 0} times`);
}

const invariants = {
  "every due run is recorded or counted as missed": findUnaccountedRuns,
  "a gap counts the runs that were due in it": findMiscountedGaps,
  "every run is recorded once": findRepeatedRuns,
  "the schedule is unshifted": findShiftedRuns,
  "results say what was so at their own time": findUntrueRuns,
  "states follow the runs in the order they were due": findWrongChanges,
  "every change is followed by exactly the alerts the rules ask for": findWrongAlerts,
  "every alert is delivered, once for each channel": findWrongDeliveries,
  "the receiver sees each alert under one key, in order": findConfusingArrivals,
  "nothing that was acknowledged is lost": findLostWrites,
} as const;

export const invariantNames = Object.keys(invariants);

export function findViolations(evidence: Evidence): Violation[] {
  return Object.entries(invariants).flatMap(([invariant, find]) =>
    find(evidence).map((what) => ({ invariant, what })),
  );
}
