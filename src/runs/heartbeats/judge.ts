import type { Result } from "../../contract/result.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import { recordResults } from "../recording/index.ts";
import { deriveRunId } from "../results/index.ts";
import type { Watched } from "../scheduling/index.ts";
import type { HeartbeatsContext, PingsContext } from "./context.ts";
import {
  createHeartbeat,
  type DatedEvent,
  findDueMs,
  type Heartbeat,
  type Judged,
  judgeMisses,
  type Ping,
  type PingSchedule,
  type PingTime,
  takePing,
} from "./heartbeat.ts";
import {
  addHeartbeats,
  claimHeartbeats,
  dropIdleReviews,
  lockHeartbeats,
  markAlive,
  readServiceTimes,
  type SavedHeartbeat,
  saveHeartbeats,
  takeReviews,
} from "./heartbeat-store.ts";

/**
 * Interval at which servers record that they accept pings. A gap of more than `maxGapMs` counts as
 * an outage.
 */
const markEveryMs = 1_000;
const maxGapMs = 3_000;
const claimLimit = 500;
/** Maximum number of batches per loop iteration; the next iteration judges the remaining checks. */
const maxBatches = 100;

export interface PingOf {
  readonly checkId: string;
  readonly ping: Ping;
}

type Pinged = Watched & { readonly schedule: PingSchedule };

/** Adds the ping schedule to a check; returns `null` if the check does not receive pings. */
function withSchedule(watched: Watched | undefined): Pinged | null {
  const pings = watched?.kind.pings;
  if (watched === undefined || pings === undefined) return null;
  const { settings } = watched;
  const schedule: PingSchedule = {
    key: pings.scheduleKey(settings),
    isActive: settings.activated,
    graceMs: pings.graceMs(settings),
    earlyMs: pings.earlyMs(settings),
    expectAfterPing: (pingMs) => pings.expectAfterPing(settings, pingMs),
    expectAfterMiss: (missedMs, afterMs) => pings.expectAfterMiss(settings, missedMs, afterMs),
  };
  return { ...watched, schedule };
}

async function readTime(context: PingsContext, db: Database): Promise<PingTime> {
  const nowMs = await context.readNowMs(db);
  const { aliveMs, resumedMs } = await readServiceTimes(db);
  // The first server that runs after an outage detects it by the time since pings were last
  // accepted.
  return { nowMs, resumedMs: aliveMs < nowMs - maxGapMs ? nowMs : resumedMs };
}

/**
 * Returns those of the checks that receive pings. The settings of a changed check are read from the
 * database again.
 */
async function findPinged(
  { watchList }: PingsContext,
  db: Database,
  checkIds: readonly string[],
): Promise<{ pinged: Map<string, Pinged>; reviews: ReadonlyMap<string, boolean> }> {
  const reviews = await takeReviews(db, checkIds);
  for (const checkId of reviews.keys()) watchList.forget(checkId);
  const watched = await watchList.find(checkIds, db);
  const pinged = new Map<string, Pinged>();
  for (const checkId of checkIds) {
    const found = withSchedule(watched.get(checkId));
    if (found !== null) pinged.set(checkId, found);
  }
  return { pinged, reviews };
}

/**
 * Marks the heartbeat as inactive if the check was deactivated since its settings were last
 * evaluated. If the check has been activated again since then, it waits for a first ping like a new
 * check.
 */
function noteReview(heartbeat: Heartbeat, wasOff: boolean | undefined): Heartbeat {
  return wasOff === true ? { ...heartbeat, isActive: false } : heartbeat;
}

interface Change extends SavedHeartbeat {
  readonly watched: Watched;
  readonly events: readonly DatedEvent[];
}

/**
 * Creates the result of a received or missed ping. Its due time and its start time are the time of
 * the event.
 */
function createArrivedResult(
  { checkId, kind, settings, places }: Watched,
  atMs: number,
  measurement: unknown,
): Result {
  const [location = ""] = places;
  return {
    runId: deriveRunId({ checkId, dueAtMs: atMs, location, attempt: 1 }),
    checkId,
    kind: kind.type,
    location,
    attempt: 1,
    dueAtMs: atMs,
    startedAtMs: atMs,
    stoppedAtMs: atMs,
    probeId: "none",
    request: kind.toRequest(settings),
    outcome: { kind: "measured", measurement },
  };
}

/** Stores heartbeats, results, states and state changes in one transaction. */
async function saveChanges(
  context: PingsContext,
  db: Database,
  changes: readonly Change[],
  { nowMs }: PingTime,
): Promise<void> {
  await saveHeartbeats(db, changes);
  const results = changes.flatMap(({ watched, events }) =>
    events.map(({ atMs, event }) =>
      createArrivedResult(watched, atMs, watched.kind.pings?.toMeasurement(event)),
    ),
  );
  if (results.length === 0) return;
  const clock = { now: () => new Date(nowMs), nowMs: () => nowMs };
  await recordResults({ ...context, db, clock }, results);
}

/** Stores pings. Returns the ids of the checks that still exist. */
export function recordPings(
  context: PingsContext,
  pings: readonly PingOf[],
): Promise<ReadonlySet<string>> {
  const checkIds = [...new Set(pings.map(({ checkId }) => checkId))].sort();
  return inTransaction(context.db, async (db) => {
    const heartbeats = await lockOrAdd(context, db, checkIds);
    const { pinged, reviews } = await findPinged(context, db, [...heartbeats.keys()]);
    // Read the time after acquiring the locks, so that event times follow the order of locking.
    const time = await readTime(context, db);
    const judged = new Map<string, Judged>();
    for (const { checkId, ping } of pings) {
      const found = pinged.get(checkId);
      const before = judged.get(checkId);
      const stored = heartbeats.get(checkId);
      if (found === undefined || stored === undefined) continue;
      const heartbeat = before?.heartbeat ?? noteReview(stored, reviews.get(checkId));
      const { schedule } = found;
      const next = schedule.isActive
        ? takePing(heartbeat, ping, schedule, time)
        : judgeMisses(heartbeat, schedule, time);
      const events = [...(before?.events ?? []), ...next.events];
      judged.set(checkId, { heartbeat: next.heartbeat, events });
    }
    await saveChanges(context, db, listChanges(judged, pinged, time), time);
    return new Set(judged.keys());
  });
}

async function lockOrAdd(
  context: PingsContext,
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, Heartbeat>> {
  const known = await lockHeartbeats(db, checkIds);
  const missing = checkIds.filter((checkId) => !known.has(checkId));
  if (missing.length === 0) return known;
  for (const checkId of missing) context.watchList.forget(checkId);
  const watched = await context.watchList.find(missing, db);
  const fresh = new Map<string, Heartbeat>();
  for (const checkId of missing) {
    const found = withSchedule(watched.get(checkId));
    if (found !== null) fresh.set(checkId, createHeartbeat(found.schedule));
  }
  if (fresh.size === 0) return known;
  await addHeartbeats(db, fresh);
  return new Map([...known, ...(await lockHeartbeats(db, [...fresh.keys()]))]);
}

function listChanges(
  judged: ReadonlyMap<string, Judged>,
  pinged: ReadonlyMap<string, Pinged>,
  time: PingTime,
): Change[] {
  return [...judged].flatMap(([checkId, { heartbeat, events }]) => {
    const watched = pinged.get(checkId);
    if (watched === undefined) return [];
    const dueMs = findDueMs(heartbeat, watched.schedule, time);
    return [{ checkId, heartbeat, dueMs, watched, events }];
  });
}

/**
 * Runs one iteration: records that pings are accepted, and finds missing pings. Returns whether any
 * check expects pings.
 */
async function judgeDue(context: PingsContext): Promise<boolean> {
  const marked = await markAlive(context.db, await context.readNowMs(context.db), maxGapMs);
  if (marked === null) return false;
  if (!marked.hasWork) return true;
  for (let batch = 0; batch < maxBatches; batch += 1) {
    if ((await judgeSome(context)) < claimLimit) break;
  }
  await dropIdleReviews(context.db, claimLimit);
  return true;
}

function judgeSome(context: PingsContext): Promise<number> {
  return inTransaction(context.db, async (db) => {
    const nowMs = await context.readNowMs(db);
    const heartbeats = await claimHeartbeats(db, nowMs, claimLimit);
    if (heartbeats.size === 0) return 0;
    const { pinged, reviews } = await findPinged(context, db, [...heartbeats.keys()]);
    const time = await readTime(context, db);
    const judged = new Map<string, Judged>();
    for (const [checkId, { schedule }] of pinged) {
      const stored = heartbeats.get(checkId);
      if (stored === undefined) continue;
      const heartbeat = noteReview(stored, reviews.get(checkId));
      judged.set(checkId, judgeMisses(heartbeat, schedule, time));
    }
    await saveChanges(context, db, listChanges(judged, pinged, time), time);
    return heartbeats.size;
  });
}

/** Polling interval while no check expects pings. */
const idleMs = 5_000;
const restMs = 10;

/**
 * Starts the loops. They stop after the HTTP server, so that the last received pings are stored.
 */
export function startHeartbeatLoops(context: HeartbeatsContext): Loop[] {
  let isExpecting = true;
  const judging = startLoop({
    name: "judge heartbeats",
    everyMs: idleMs,
    restMs,
    sleepMs: () => (isExpecting ? markEveryMs : idleMs),
    log: context.log,
    onWork: (wake) => context.clock.onMove?.(wake),
    turn: async () => {
      isExpecting = await judgeDue(context);
    },
  });
  return [{ stop: () => context.intake.stop() }, judging];
}
