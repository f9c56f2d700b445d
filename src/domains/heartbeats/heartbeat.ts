import type { PingEvent, PingSender } from "../../kinds/pings.ts";

/** A job that has told its start and not its end. */
export interface JobStart {
  /** What the client calls the run; empty: it calls it nothing. */
  readonly runId: string;
  readonly atMs: number;
}

/** What is known of the pings of one check. */
export interface Heartbeat {
  /** Null: nothing is expected before the first ping. */
  readonly expectedMs: number | null;
  readonly lastPingMs: number | null;
  readonly lastEventMs: number | null;
  /** When other times were set; null: never. */
  readonly changedMs: number | null;
  /** The newest ping that was expected did not come. */
  readonly isMissed: boolean;
  readonly isActive: boolean;
  readonly scheduleKey: string;
  readonly starts: readonly JobStart[];
}

/** When pings are expected, by the settings of the check. */
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
  readonly sender: PingSender;
}

export interface Moment {
  /** By the clock of the database. */
  readonly nowMs: number;
  /** The service has taken pings since then. */
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

/** Of the jobs that run side by side, so many are told apart. */
export const maxStarts = 20;
/** Whoever could not ping for a while gets so much time at least, and so does every job. */
export const leastGraceMs = 60_000;
/** An event is not put further into the past than this, whatever clocks did. */
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

/** A check that is switched on waits for its first ping, as a new one does. */
export function followSettings(
  before: Heartbeat,
  schedule: PingSchedule,
  { nowMs }: Moment,
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
  // What was missed is not missed once more.
  const isPast = isMissed && nextMs + graceMs <= nowMs;
  const laterMs = isPast ? schedule.expectAfterMiss(nextMs, nowMs - graceMs) : nextMs;
  return { ...changed, expectedMs: laterMs };
}

interface Deadline {
  readonly atMs: number;
  /** The job that must end by then; null: a ping must come. */
  readonly start: JobStart | null;
  /** When the service resumed, where that gave more time. */
  readonly resumedMs: number | null;
}

/**
 * What was expected while no pings were taken, or before the times were changed, is not missing
 * before its grace, or a minute, has passed from then on.
 */
function findDeadlineOf(
  expected: { readonly atMs: number; readonly graceMs: number; readonly start: JobStart | null },
  { changedMs }: Heartbeat,
  { resumedMs }: Moment,
): Deadline {
  const { atMs, graceMs, start } = expected;
  const floorMs = Math.max(resumedMs, changedMs ?? 0);
  // The end of a job is expected only when its grace is over.
  const endsMs = start === null ? atMs + graceMs : atMs + Math.max(graceMs, leastGraceMs);
  const lastMs = start === null ? atMs : endsMs;
  if (lastMs > floorMs) return { atMs: endsMs, start, resumedMs: null };
  const extendedMs = floorMs + Math.max(graceMs, leastGraceMs);
  return { atMs: extendedMs, start, resumedMs: floorMs === resumedMs ? floorMs : null };
}

function findDeadline(
  heartbeat: Heartbeat,
  { graceMs }: PingSchedule,
  moment: Moment,
): Deadline | null {
  const { expectedMs, starts } = heartbeat;
  const expected = [
    ...(expectedMs === null ? [] : [{ atMs: expectedMs, graceMs, start: null }]),
    ...starts.map((start) => ({ atMs: start.atMs, graceMs, start })),
  ];
  const deadlines = expected.map((one) => findDeadlineOf(one, heartbeat, moment));
  return deadlines.reduce<Deadline | null>(
    (first, one) => (first === null || one.atMs < first.atMs ? one : first),
    null,
  );
}

/** When to look at it again; null: nothing is expected. */
export function findDueMs(
  heartbeat: Heartbeat,
  schedule: PingSchedule,
  moment: Moment,
): number | null {
  return findDeadline(heartbeat, schedule, moment)?.atMs ?? null;
}

/** Events of a check are never at the same millisecond: that is what tells their ids apart. */
function dateEvent({ lastEventMs }: Heartbeat, atMs: number, { nowMs }: Moment): number {
  return Math.max(atMs, nowMs - maxPastMs, (lastEventMs ?? 0) + 1);
}

/**
 * Everything that was missed by now. It depends on the times alone, not on who looks or how often:
 * of several pings that were missed while nobody looked, one counts.
 */
export function judgeMisses(before: Heartbeat, schedule: PingSchedule, moment: Moment): Judged {
  let heartbeat = followSettings(before, schedule, moment);
  const events: DatedEvent[] = [];
  for (let turn = 0; turn <= maxStarts + 1; turn += 1) {
    const deadline = findDeadline(heartbeat, schedule, moment);
    if (deadline === null || deadline.atMs > moment.nowMs) break;
    const atMs = dateEvent(heartbeat, deadline.atMs, moment);
    events.push({ atMs, event: describeMiss(heartbeat, deadline) });
    heartbeat = { ...passDeadline(heartbeat, deadline, schedule, moment), lastEventMs: atMs };
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
  { nowMs }: Moment,
): Heartbeat {
  if (start !== null) {
    return { ...heartbeat, starts: heartbeat.starts.filter((one) => one !== start) };
  }
  const missedMs = heartbeat.expectedMs ?? nowMs;
  return { ...heartbeat, isMissed: true, expectedMs: expectAfterMiss(missedMs, nowMs - graceMs) };
}

/** A ping that came. What was missed before it is judged first. */
export function takePing(
  before: Heartbeat,
  ping: Ping,
  schedule: PingSchedule,
  moment: Moment,
): Judged {
  const { heartbeat, events } = judgeMisses(before, schedule, moment);
  const { runId } = ping;
  const others = heartbeat.starts.filter((one) => one.runId !== runId);
  if (ping.signal === "start") {
    const starts = [...others, { runId, atMs: moment.nowMs }].slice(-maxStarts);
    return { heartbeat: { ...heartbeat, starts }, events };
  }
  const atMs = dateEvent(heartbeat, moment.nowMs, moment);
  const start = heartbeat.starts.find((one) => one.runId === runId);
  const hasFailed = ping.signal === "failure";
  const event: PingEvent = {
    state: hasFailed ? "FAILING" : nameState(heartbeat, schedule, atMs),
    sender: ping.sender,
    hasFailed,
    exitCode: ping.exitCode,
    durationMs: start === undefined ? null : Math.max(0, atMs - start.atMs),
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
