import type { PingEvent, PingSender } from "../../kinds/kit/pings.ts";

/** A job that has reported its start but not its end. */
export interface JobStart {
  /** Run id sent by the client; empty if the client sent no run id. */
  readonly runId: string;
  readonly atMs: number;
}

/** State of the pings of one check. */
export interface Heartbeat {
  /**
   * Time of the next expected ping. `null` if the check is deactivated or has received no ping
   * since it was activated.
   */
  readonly expectedMs: number | null;
  readonly lastPingMs: number | null;
  readonly lastEventMs: number | null;
  /** Time at which the schedule last changed; `null` if it has not changed since the last ping. */
  readonly changedMs: number | null;
  /** Whether the latest expected ping did not arrive. */
  readonly isMissed: boolean;
  readonly isActive: boolean;
  readonly scheduleKey: string;
  readonly starts: readonly JobStart[];
}

/** Defines when the pings of a check are expected. */
export interface PingSchedule {
  readonly key: string;
  readonly isActive: boolean;
  readonly graceMs: number;
  readonly earlyMs: number;
  readonly expectAfterPing: (pingMs: number) => number;
  readonly expectAfterMiss: (missedMs: number, afterMs: number) => number;
}

export interface Ping {
  readonly signal: "start" | "success" | "failure";
  readonly exitCode: number | null;
  readonly runId: string;
  /** Duration reported by the job, used if the job did not report its start. */
  readonly durationMs?: number | null;
  readonly sender: PingSender;
}

export interface PingTime {
  /** Current time by the clock of the database. */
  readonly nowMs: number;
  /** End of the latest outage of the ping service. */
  readonly resumedMs: number;
}

export interface DatedEvent {
  readonly atMs: number;
  readonly event: PingEvent;
}

export interface Judged {
  readonly heartbeat: Heartbeat;
  readonly events: readonly DatedEvent[];
}

/** Maximum number of running jobs that are tracked per check. */
export const maxStarts = 20;
/**
 * Minimum grace period in two cases: for a job to report its end, and for a deadline that is
 * extended because of an outage or a schedule change.
 */
export const leastGraceMs = 60_000;
/**
 * Maximum age of an event when it is recorded, in milliseconds. An older event, such as a ping that
 * was missed during a long outage, is recorded with this age.
 */
const maxPastMs = 3_600_000;

export function createHeartbeat({ key, isActive }: PingSchedule): Heartbeat {
  return {
    expectedMs: null,
    lastPingMs: null,
    lastEventMs: null,
    changedMs: null,
    isMissed: false,
    isActive,
    scheduleKey: key,
    starts: [],
  };
}

/** Applies changed settings. A check that is activated again waits for a first ping. */
export function followSettings(
  before: Heartbeat,
  schedule: PingSchedule,
  { nowMs }: PingTime,
): Heartbeat {
  const { key, isActive, graceMs } = schedule;
  if (!isActive || !before.isActive) {
    const isSame = before.isActive === isActive && before.expectedMs === null;
    if (isSame && before.starts.length === 0 && before.scheduleKey === key) return before;
    return { ...before, isActive, scheduleKey: key, expectedMs: null, isMissed: false, starts: [] };
  }
  if (before.scheduleKey === key) return before;
  const { expectedMs, lastPingMs, isMissed } = before;
  const changed = { ...before, scheduleKey: key, changedMs: nowMs };
  if (expectedMs === null || lastPingMs === null) return changed;
  const nextMs = schedule.expectAfterPing(lastPingMs);
  // If a missing ping has already been reported, do not report it again.
  const isPast = isMissed && nextMs + graceMs <= nowMs;
  const laterMs = isPast ? schedule.expectAfterMiss(nextMs, nowMs - graceMs) : nextMs;
  return { ...changed, expectedMs: laterMs };
}

interface Deadline {
  readonly atMs: number;
  /** Job that must report its end before the deadline; `null` if the deadline is for a ping. */
  readonly start: JobStart | null;
  /** End of the service outage that extended the deadline; `null` if no outage did. */
  readonly resumedMs: number | null;
}

/**
 * Returns the deadline of a ping or of the end of a job. If the ping or the end was due before the
 * end of the latest outage or before the schedule changed, the deadline is extended: a grace period
 * of at least one minute starts at the end of the outage or at the change.
 */
function findDeadlineOf(
  expected: { readonly atMs: number; readonly graceMs: number; readonly start: JobStart | null },
  { changedMs }: Heartbeat,
  { resumedMs }: PingTime,
): Deadline {
  const { atMs, graceMs, start } = expected;
  const minMs = Math.max(resumedMs, changedMs ?? 0);
  // A started job must report its end within the grace period after its start.
  const endsMs = start === null ? atMs + graceMs : atMs + Math.max(graceMs, leastGraceMs);
  const lastMs = start === null ? atMs : endsMs;
  if (lastMs > minMs) return { atMs: endsMs, start, resumedMs: null };
  const extendedMs = minMs + Math.max(graceMs, leastGraceMs);
  return { atMs: extendedMs, start, resumedMs: minMs === resumedMs ? minMs : null };
}

function findDeadline(
  heartbeat: Heartbeat,
  { graceMs }: PingSchedule,
  time: PingTime,
): Deadline | null {
  const { expectedMs, starts } = heartbeat;
  const expected = [
    ...(expectedMs === null ? [] : [{ atMs: expectedMs, graceMs, start: null }]),
    ...starts.map((start) => ({ atMs: start.atMs, graceMs, start })),
  ];
  const deadlines = expected.map((one) => findDeadlineOf(one, heartbeat, time));
  return deadlines.reduce<Deadline | null>(
    (first, one) => (first === null || one.atMs < first.atMs ? one : first),
    null,
  );
}

/**
 * Returns when to check the heartbeat again; `null` if neither a ping nor the end of a job is
 * expected.
 */
export function findDueMs(
  heartbeat: Heartbeat,
  schedule: PingSchedule,
  time: PingTime,
): number | null {
  return findDeadline(heartbeat, schedule, time)?.atMs ?? null;
}

/**
 * Returns the time of an event. It differs from the times of all earlier events of the check,
 * because event ids are derived from it.
 */
function dateEvent({ lastEventMs }: Heartbeat, atMs: number, { nowMs }: PingTime): number {
  return Math.max(atMs, nowMs - maxPastMs, (lastEventMs ?? 0) + 1);
}

/**
 * Finds pings and job ends whose deadlines have passed. If several pings have been missed since the
 * previous call, only one missed ping is reported.
 */
export function judgeMisses(before: Heartbeat, schedule: PingSchedule, time: PingTime): Judged {
  let heartbeat = followSettings(before, schedule, time);
  const events: DatedEvent[] = [];
  for (let turn = 0; turn <= maxStarts + 1; turn += 1) {
    const deadline = findDeadline(heartbeat, schedule, time);
    if (deadline === null || deadline.atMs > time.nowMs) break;
    const atMs = dateEvent(heartbeat, deadline.atMs, time);
    events.push({ atMs, event: describeMiss(heartbeat, deadline) });
    heartbeat = { ...passDeadline(heartbeat, deadline, schedule, time), lastEventMs: atMs };
  }
  return { heartbeat, events };
}

function describeMiss(heartbeat: Heartbeat, { start, resumedMs }: Deadline): PingEvent {
  return {
    state: "FAILING",
    sender: null,
    hasFailed: false,
    exitCode: null,
    durationMs: null,
    lastPingMs: heartbeat.lastPingMs,
    expectedMs: start === null ? heartbeat.expectedMs : null,
    unendedMs: start?.atMs ?? null,
    resumedMs,
  };
}

function passDeadline(
  heartbeat: Heartbeat,
  { start }: Deadline,
  { graceMs, expectAfterMiss }: PingSchedule,
  { nowMs }: PingTime,
): Heartbeat {
  if (start !== null) {
    return { ...heartbeat, starts: heartbeat.starts.filter((one) => one !== start) };
  }
  const missedMs = heartbeat.expectedMs ?? nowMs;
  return { ...heartbeat, isMissed: true, expectedMs: expectAfterMiss(missedMs, nowMs - graceMs) };
}

/** Processes a received ping. Pings that were missed before it are recorded first. */
export function takePing(
  before: Heartbeat,
  ping: Ping,
  schedule: PingSchedule,
  time: PingTime,
): Judged {
  const { heartbeat, events } = judgeMisses(before, schedule, time);
  const { runId } = ping;
  const others = heartbeat.starts.filter((one) => one.runId !== runId);
  if (ping.signal === "start") {
    const starts = [...others, { runId, atMs: time.nowMs }].slice(-maxStarts);
    return { heartbeat: { ...heartbeat, starts }, events };
  }
  const atMs = dateEvent(heartbeat, time.nowMs, time);
  const start = heartbeat.starts.find((one) => one.runId === runId);
  const hasFailed = ping.signal === "failure";
  const event: PingEvent = {
    state: hasFailed ? "FAILING" : nameState(heartbeat, schedule, atMs),
    sender: ping.sender,
    hasFailed,
    exitCode: ping.exitCode,
    durationMs: start === undefined ? (ping.durationMs ?? null) : Math.max(0, atMs - start.atMs),
    lastPingMs: heartbeat.lastPingMs,
    expectedMs: heartbeat.expectedMs,
    unendedMs: null,
    resumedMs: null,
  };
  const after: Heartbeat = {
    ...heartbeat,
    expectedMs: schedule.expectAfterPing(atMs),
    lastPingMs: atMs,
    lastEventMs: atMs,
    changedMs: null,
    isMissed: false,
    starts: others,
  };
  return { heartbeat: after, events: [...events, { atMs, event }] };
}

function nameState(
  { expectedMs, isMissed }: Heartbeat,
  { earlyMs }: PingSchedule,
  atMs: number,
): PingEvent["state"] {
  if (isMissed) return "LATE";
  if (expectedMs === null) return "RECEIVED";
  if (atMs < expectedMs - earlyMs) return "EARLY";
  return atMs <= expectedMs ? "RECEIVED" : "GRACE";
}
