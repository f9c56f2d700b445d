import { saveCheckStatusesBy } from "../../checks/checks/index.ts";
import type { Result } from "../../contract/result.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { isUuid } from "../../platform/text/patterns.ts";
import {
  deleteUnanswered,
  type FinalResult,
  findNeighbours,
  insertGaps,
  insertNewResults,
  type Neighbours,
  type RunGap,
} from "../results/index.ts";
import {
  deleteRetries,
  findRetryStarts,
  insertRetries,
  type Watched,
} from "../scheduling/index.ts";
import {
  type CheckState,
  insertStateChanges,
  lockStates,
  recordDecision,
  type StateDecision,
  saveStates,
} from "../states/index.ts";
import { findReasonToIgnore } from "./acceptance.ts";
import { saveCertificates } from "./certificate-store.ts";
import type { RecorderContext } from "./context.ts";
import {
  finalizePreviousAttempts,
  foldLate,
  foldResult,
  isLate,
  type Judged,
  judge,
  type StateChange,
  separateOvertaken,
} from "./fold.ts";
import {
  findNotableRun,
  insertNotableRuns,
  markLateHours,
  type NotableRun,
  type Notice,
} from "./follow-up-store.ts";

/** Maximum number of results per transaction. */
export const recordBatchSize = 500;
/**
 * Delay after the end of an hour. A result that is recorded after this delay is late, because its
 * hour may already be rolled up.
 */
const rollupDelayMs = 300_000;
const hourMs = 3_600_000;

type DecidedChange = StateChange & { readonly decision: StateDecision };

interface Moved {
  readonly state: CheckState;
  /** Response time of the check's last run; `null` if this batch does not contain it. */
  readonly responseMs: number | null;
  /** Response times of all runs of the check in this batch. */
  readonly responsesMs: readonly number[];
  readonly watched: Watched;
  readonly changes: readonly DecidedChange[];
  readonly notables: readonly NotableRun[];
  /** Gaps before the runs of this batch: runs that were due but are not recorded. */
  readonly gaps: readonly RunGap[];
}

/**
 * Returns the conditions that make runs of the check notable. The account's alert settings may use
 * the share of failing locations, but only alerting reads these settings. All parallel runs of a
 * check with account settings are therefore notable, even if alerting does not need them.
 */
function describeNotice({ kind, settings }: Watched, nowMs: number): Notice {
  const { runParallel, useGlobalAlertSettings, alertSettings, frequency } = settings;
  const { enabled } = alertSettings.parallelRunFailureThreshold;
  const isShareCounted = runParallel && (enabled || useGlobalAlertSettings);
  const frequencyMinutes = kind.isOrdered ? frequency : Number.POSITIVE_INFINITY;
  return { isShareCounted, frequencyMinutes, nowMs };
}

interface FoldedRun {
  readonly state: CheckState;
  readonly changes: readonly StateChange[];
  readonly notables: readonly NotableRun[];
}

function foldOne(
  previous: CheckState | null,
  final: FinalResult & { readonly startedAtMs: number },
  watched: Watched,
  now: { readonly atMs: number; readonly neighbours: Neighbours | undefined },
): FoldedRun {
  const context = { runParallel: watched.settings.runParallel, locations: watched.places };
  const { neighbours, atMs } = now;
  if (previous !== null && neighbours !== undefined) {
    const { state, changes, runs } = foldLate(previous, final, { ...context, neighbours });
    const notables = runs.map((run) => ({ ...run, lastResultAtMs: null, isLate: true }));
    return { state, changes, notables };
  }
  const { state, change } = foldResult(previous, final, context);
  const notable = findNotableRun(previous, final, describeNotice(watched, atMs));
  return {
    state,
    changes: change === null ? [] : [change],
    notables: notable === null ? [] : [notable],
  };
}

interface PreviousData {
  readonly states: ReadonlyMap<string, CheckState>;
  /** Neighbouring runs of each late result, keyed by result id. */
  readonly neighbours: ReadonlyMap<string, Neighbours>;
}

/** Returns the gap between a new run and the newest recorded run, or `null`. */
function findGap(
  previous: CheckState | null,
  final: Pick<FinalResult, "location" | "dueAtMs">,
  { kind, plan, places, settings, sinceMs }: Watched,
): RunGap | null {
  if (!kind.isOrdered) return null;
  const { location, dueAtMs } = final;
  if (settings.runParallel && !places.includes(location)) return null;
  const { splayMs, periodMs } = plan;
  const lastDueMs = settings.runParallel
    ? previous !== null && Object.hasOwn(previous.locations, location)
      ? previous.locations[location]?.atMs
      : undefined
    : previous?.lastRunAtMs;
  const afterMs = Math.max(lastDueMs ?? 0, sinceMs);
  const next = Math.floor((afterMs - splayMs) / periodMs) + 1;
  const dueCount = Math.ceil((dueAtMs - splayMs) / periodMs) - next;
  if (dueCount <= 0) return null;
  return { location: settings.runParallel ? location : null, afterMs, beforeMs: dueAtMs, dueCount };
}

/** Folds all results of a batch into the states of their checks, in order of their due times. */
function foldAll(
  finals: readonly Judged[],
  { states, neighbours }: PreviousData,
  atMs: number,
): Map<string, Moved> {
  const inOrder = [...finals].sort((one, other) => one.result.dueAtMs - other.result.dueAtMs);
  const moved = new Map<string, Moved>();
  for (const { result, verdict, reasons, watched } of inOrder) {
    const { checkId, runId: resultId, location, dueAtMs, startedAtMs, outcome } = result;
    const earlier = moved.get(checkId);
    const { runParallel } = watched.settings;
    const previous = earlier?.state ?? states.get(checkId) ?? null;
    const final = { resultId, location, verdict, dueAtMs, startedAtMs };
    const folded = foldOne(previous, final, watched, {
      atMs,
      neighbours: neighbours.get(resultId),
    });
    const { state } = folded;
    const ownMs =
      outcome.kind === "measured" ? watched.kind.figures(outcome.measurement).responseMs : null;
    const responseMs = state.lastResultId === resultId ? ownMs : (earlier?.responseMs ?? null);
    const responsesMs = [...(earlier?.responsesMs ?? []), ...(ownMs === null ? [] : [ownMs])];
    const decision = recordDecision(state, { runParallel, reasons });
    const newChanges = folded.changes.map((change) => ({ ...change, decision }));
    const changes = [...(earlier?.changes ?? []), ...newChanges];
    const notables = [...(earlier?.notables ?? []), ...folded.notables];
    const gaps = [...(earlier?.gaps ?? []), findGap(previous, final, watched) ?? []].flat();
    moved.set(checkId, { state, responseMs, responsesMs, watched, changes, notables, gaps });
  }
  return moved;
}

/** Locks the states of the checks and loads the neighbours of late results. */
async function loadPrevious(db: Database, finals: readonly Judged[]): Promise<PreviousData> {
  const states = await lockStates(db, [...new Set(finals.map(({ result }) => result.checkId))]);
  const late = finals.filter(({ result, watched }) =>
    isLate(states.get(result.checkId) ?? null, result, watched.settings.runParallel),
  );
  const neighbours = await findNeighbours(
    db,
    late.map(({ result: { checkId, dueAtMs, location }, watched }) => ({
      checkId,
      dueAtMs,
      location: watched.settings.runParallel ? location : null,
    })),
    finals.map(({ result }) => result.runId),
  );
  return {
    states,
    neighbours: new Map(neighbours.map((one, place) => [late[place]?.result.runId ?? "", one])),
  };
}

/**
 * Stores states, changes, notable runs and gaps. Returns the ids of results that worsened a check.
 */
async function saveMoved(
  db: Database,
  finals: readonly Judged[],
  at: Date,
): Promise<readonly string[]> {
  if (finals.length === 0) return [];
  const moved = foldAll(finals, await loadPrevious(db, finals), at.getTime());
  await saveStates(
    db,
    [...moved].map(([checkId, { state, responseMs, responsesMs }]) => ({
      checkId,
      state,
      responseMs,
      shortestMs: responsesMs.length === 0 ? null : Math.min(...responsesMs),
      longestMs: responsesMs.length === 0 ? null : Math.max(...responsesMs),
    })),
    at,
  );
  const changed = [...moved].filter(([, { changes }]) => changes.length > 0);
  await insertStateChanges(
    db,
    changed.flatMap(([checkId, { watched, changes }]) =>
      changes.map((change) => ({ ...change, checkId, accountId: watched.accountId })),
    ),
  );
  await insertNotableRuns(
    db,
    [...moved].flatMap(([checkId, { watched, notables }]) =>
      notables.map((run) => ({ ...run, checkId, accountId: watched.accountId })),
    ),
    at,
  );
  await insertGaps(
    db,
    [...moved].flatMap(([checkId, { gaps }]) => gaps.map((gap) => ({ ...gap, checkId }))),
  );
  const statuses = changed.map(([checkId, { state }]) => ({ checkId, status: state.status }));
  await saveCheckStatusesBy(db, statuses);
  return changed.flatMap(([, { changes }]) =>
    changes.flatMap(({ from, to, resultId }) =>
      to === "failing" || (to === "degraded" && from !== "failing") ? [resultId] : [],
    ),
  );
}

/**
 * Returns the results that arrived after the deadline of their run, for example because the probe
 * was disconnected. Only results with data about the target are returned. The run of such a result
 * may already be stored as unanswered.
 */
function findSpooled(batch: readonly Judged[], nowMs: number): Result[] {
  return batch.flatMap(({ result }) => {
    const { deadlineAtMs = Number.POSITIVE_INFINITY, outcome } = result;
    const isAnswer = outcome.kind === "measured" || outcome.kind === "unreachable";
    return isAnswer && nowMs > deadlineAtMs ? [result] : [];
  });
}

function findLateHours(batch: readonly Judged[], nowMs: number) {
  return batch
    .map(({ result }) => ({
      checkId: result.checkId,
      hourMs: Math.floor(result.dueAtMs / hourMs) * hourMs,
    }))
    .filter((late) => late.hourMs + hourMs + rollupDelayMs <= nowMs);
}

/**
 * Stores a batch in one transaction. Adds the ids of results that worsened a check to
 * `firstFailures`.
 */
async function saveBatch(
  context: RecorderContext,
  batch: readonly Judged[],
  now: Date,
  firstFailures: Set<string>,
): Promise<readonly Judged[]> {
  return inTransaction(context.db, async (db) => {
    await deleteUnanswered(db, findSpooled(batch, now.getTime()));
    const newIds = await insertNewResults(db, batch);
    const newResults = batch.filter(({ result }) => newIds.has(result.runId));
    const finals = [
      ...newResults.filter(({ isFinal }) => isFinal),
      ...(await finalizePreviousAttempts(db, newResults)),
    ];
    for (const id of await saveMoved(db, finals, now)) firstFailures.add(id);
    await saveCertificates(db, context.seenCertificates.listUnstored(finals, now.getTime()), now);
    await insertRetries(
      db,
      newResults.flatMap(({ retry }) => retry ?? []),
    );
    const retried = batch.filter(({ result }) => result.attempt > 1);
    if (retried.length > 0) {
      await deleteRetries(
        db,
        retried.map(({ result }) => result.runId),
      );
    }
    // Read the time again, because an hour may be rolled up while a batch waits for a transaction.
    await markLateHours(db, findLateHours(newResults, context.clock.nowMs()));
    return newResults;
  });
}

/**
 * Stores a batch. If the database rejects a value, the batch is halved until the invalid result is
 * alone and can be dropped. Otherwise this result would block all others forever. Within a
 * transaction, which the rejected statement has ended, the error is thrown.
 */
async function saveStorable(
  context: RecorderContext,
  batch: readonly Judged[],
  now: Date,
  firstFailures: Set<string>,
): Promise<readonly Judged[]> {
  try {
    return await saveBatch(context, batch, now, firstFailures);
  } catch (error) {
    if (context.db.isTransaction || !isDataFault(error)) throw error;
    if (batch.length === 1) {
      context.recordingMetrics.ignored.inc({ reason: "unstorable" });
      context.log.warn(
        { err: error, runId: batch[0]?.result.runId },
        "dropped a result that cannot be stored",
      );
      return [];
    }
    const middle = batch.length >> 1;
    const first = await saveStorable(context, batch.slice(0, middle), now, firstFailures);
    const rest = await saveStorable(context, batch.slice(middle), now, firstFailures);
    return [...first, ...rest];
  }
}

/**
 * Whether the data caused the error, so that a retry of the batch cannot succeed. This applies to
 * SQLSTATE class 22 and to a TypeError or RangeError. It does not apply to an error about a check
 * that was deleted meanwhile, because the next attempt ignores the results of this check.
 */
function isDataFault(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  return error instanceof Error && "code" in error && String(error.code).startsWith("22");
}

/**
 * Records results. If the function throws, the bus delivers the batch again, and recording a result
 * twice has no effect. If `context.db` is a transaction, the function uses it, and throws if a
 * result cannot be stored.
 */
export async function recordResults(
  context: RecorderContext,
  results: readonly Result[],
): Promise<void> {
  const { watchList, clock, recordingMetrics: metrics } = context;
  const startedMs = performance.now();
  const now = clock.now();
  const nowMs = now.getTime();
  const checkIds = results.map((result) => result.checkId);
  const watched = await watchList.find(checkIds.filter(isUuid), context.db);
  const retryStarts = await findRetryStarts(context.db, results);
  const batch: Judged[] = [];
  // Run ids in this batch. Duplicates are ignored, because they would conflict within a statement.
  const seen = new Set<string>();
  for (const result of results) {
    const check = watched.get(result.checkId);
    const reason = findReasonToIgnore(result, check, { nowMs, seen });
    if (reason !== null) metrics.ignored.inc({ reason });
    if (reason !== null || check === undefined) continue;
    seen.add(result.runId);
    try {
      const plannedAtMs = retryStarts.get(result.runId) ?? null;
      batch.push(judge(result, check, { nowMs, plannedAtMs }));
    } catch (error) {
      metrics.ignored.inc({ reason: "unjudgeable" });
      context.log.error({ err: error, runId: result.runId }, "could not evaluate a result");
    }
  }
  if (batch.length === 0) return;
  const firstFailures = new Set<string>();
  const newResults: Judged[] = [];
  for (const part of separateOvertaken(batch)) {
    if (part.length === 0) continue;
    newResults.push(...(await saveStorable(context, part, now, firstFailures)));
  }
  context.seenCertificates.remember(
    newResults.filter(({ isFinal }) => isFinal),
    nowMs,
  );
  for (const { verdict, reasons, result, watched: check, isFinal } of newResults) {
    metrics.results.inc({ verdict });
    if (verdict === "failing" || reasons[0]?.name === "one-family-fails") {
      const isFirst = firstFailures.has(result.runId);
      if (isFirst || !isFinal) context.failures?.offer({ watched: check, result, isFirst });
    }
    context.recorded.add(check.accountId, check.checkId);
    if (result.attempt === 1) {
      metrics.lateness.observe(Math.max(0, result.startedAtMs - result.dueAtMs) / 1_000);
    }
  }
  metrics.recordSeconds.observe((performance.now() - startedMs) / 1_000);
}
