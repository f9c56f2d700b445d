import { type Database, inTransaction } from "../../platform/database.ts";
import { clearQuarantine, isTransient, quarantine } from "../../platform/quarantine.ts";
import {
  deleteQueuedRuns,
  deleteQueuedRunsOf,
  listChecksWithQueuedRuns,
  listQueuedCheckIds,
  listQueuedRuns,
  notableRunWork,
  type QueuedRun,
} from "../../runs/recording/index.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import { findLastResultTimes } from "../../runs/states/index.ts";
import { ruleEvaluations } from "../../sites/status-pages/index.ts";
import { mapOpenTroubles } from "../incidents/index.ts";
import { addressAlerts, applyQuietHours } from "./addressing.ts";
import { decideOnRun, decideOnTime } from "./alert-decision.ts";
import { composeMessages } from "./alert-message.ts";
import { type AlertState, createAlertState, restartSilence } from "./alert-state.ts";
import type { DeciderContext } from "./context.ts";
import {
  type Batch,
  deleteOwedIncident,
  insertAlerts,
  listDueOwed,
  listDueStates,
  listLastDecisions,
  lockAlertStates,
  lockDueStates,
  owedWork,
  postponeOwed,
  postponeTick,
  saveAlertStates,
  tickWork,
  tryDeciderLock,
} from "./decider-store.ts";
import { type DecisionSnapshot, loadDecisionSnapshot, rulesFor } from "./decision-snapshot.ts";
import { DecisionTally, type Outcome } from "./decision-tally.ts";
import { insertDeliveries } from "./delivery-store.ts";
import { followWithIncidents, settleSomeOwed } from "./incident-follower.ts";
import { TroubleLedger } from "./trouble-ledger.ts";

/** Maximum number of checks per transaction. Limits memory use if many checks fail together. */
export const decisionBatch = 500;

/**
 * Runs one batch of decisions in a transaction, unless another server holds the decider lock. All
 * queries use the connection of the transaction, so a batch never waits for a second connection.
 */
function decideInTransaction(
  context: DeciderContext,
  decide: (within: DeciderContext) => Promise<number>,
): Promise<number> {
  return inTransaction(context.db, async (db) =>
    (await tryDeciderLock(db)) ? decide({ ...context, db }) : 0,
  );
}

function planBatch(context: DeciderContext, checkId: string | null): Batch {
  return { limit: decisionBatch, now: context.clock.now(), checkId };
}

/** Work that is done in batches of checks. */
interface Work {
  readonly name: string;
  readonly decide: (context: DeciderContext, batch: Batch) => Promise<number>;
  readonly listDue: (db: Database, batch: Batch) => Promise<string[]>;
  /** Postpones a check whose work fails. `retryAt` is `null` after the last attempt. */
  readonly postpone: (db: Database, checkId: string, retryAt: Date | null) => Promise<void>;
}

/**
 * Runs one batch of work on checks. If the batch fails with an error that is not transient, each
 * check is retried separately. A check that fails again is quarantined, so a single broken row
 * never stops the alerts of other checks.
 */
export async function decideWithQuarantine(context: DeciderContext, work: Work): Promise<number> {
  const { db, clock } = context;
  const decide = (batch: Batch) =>
    decideInTransaction(context, (within) => work.decide(within, batch));
  const all = planBatch(context, null);
  try {
    return await decide(all);
  } catch (error) {
    if (isTransient(error)) throw error;
  }
  let count = 0;
  for (const checkId of await work.listDue(db, all)) {
    try {
      count += await decide(planBatch(context, checkId));
    } catch (error) {
      if (isTransient(error)) throw error;
      const aside = { work: work.name, key: checkId, error, now: clock.now() };
      await work.postpone(db, checkId, await quarantine(context, aside));
    }
  }
  return count;
}

async function saveOutcome(context: DeciderContext, outcome: Outcome): Promise<void> {
  const { db, clock, alertMetrics } = context;
  const now = clock.now();
  const { outgoing } = outcome;
  await saveAlertStates(db, outcome.states);
  await outcome.troubles.save(db);
  await insertAlerts(db, outcome.rows, now);
  for (const { kind } of outcome.rows) alertMetrics.decisions.inc({ kind });
  if (outgoing.length === 0) return;
  const messages = await composeMessages(context, outgoing);
  const addressed = await addressAlerts(context, outgoing, messages);
  await insertDeliveries(db, await applyQuietHours(context, addressed), now);
  await followWithIncidents(context, outgoing, messages);
  const accountIds = new Set(outgoing.map(({ watched }) => watched.accountId));
  await ruleEvaluations.request(db, [...accountIds], now);
}

async function openTally(db: Database, checkIds: readonly string[]): Promise<DecisionTally> {
  const troubles = new TroubleLedger(await mapOpenTroubles(db, checkIds));
  return new DecisionTally(await listLastDecisions(db, checkIds), troubles);
}

interface DecidedCheck {
  readonly watched: Watched;
  readonly snapshot: DecisionSnapshot;
  readonly stored: AlertState | undefined;
}

function decideRun(tally: DecisionTally, run: QueuedRun, about: DecidedCheck): void {
  const { watched, snapshot, stored } = about;
  const dueAtMs = run.dueAt.getTime();
  const fresh = createAlertState(run.lastResultAt?.getTime() ?? dueAtMs);
  const before = tally.stateOf(run.checkId) ?? stored ?? fresh;
  // Passing runs of a passing check are not queued, so the time since the last queued run would
  // count as missing data. To prevent this, start the no-data timer no earlier than the due time of
  // the previous run, even if that run was not queued.
  const state =
    run.lastResultAt === null ? before : restartSilence(before, run.lastResultAt.getTime());
  const rules = rulesFor(snapshot, watched);
  const { state: next, decision } = decideOnRun(
    state,
    {
      verdict: run.verdict,
      location: run.location,
      dueAtMs,
      decidedAtMs: run.recordedAt.getTime(),
      resultId: run.resultId,
      runParallel: watched.settings.runParallel,
      locations: watched.places,
      isLate: run.isLate,
    },
    rules,
  );
  tally.add(watched, next, rules, [decision]);
  tally.troubles.note(watched, next, rules, { nowMs: decision.atMs, isTick: false });
}

async function decideOnSomeRuns(context: DeciderContext, batch: Batch): Promise<number> {
  const { db, clock } = context;
  const runs = await listQueuedRuns(db, batch);
  if (runs.length === 0) return 0;
  const checkIds = [...new Set(runs.map((run) => run.checkId))];
  const snapshot = await loadDecisionSnapshot(context, checkIds);
  const stored = await lockAlertStates(db, checkIds);
  const tally = await openTally(db, checkIds);
  for (const run of runs) {
    const watched = snapshot.watched.get(run.checkId);
    if (watched === undefined) continue;
    decideRun(tally, run, { watched, snapshot, stored: stored.get(run.checkId) });
  }
  await saveOutcome(context, tally.finish(snapshot, clock.now().getTime()));
  const ids = runs.map((run) => run.id);
  await deleteQueuedRuns(db, ids);
  await clearQuarantine(db, notableRunWork, checkIds);
  return runs.length;
}

/**
 * Maximum time that a server waits after its start for the next run of a check, before it sends an
 * alert that a mute held. Until that run, the alert state may be outdated.
 */
const catchUpMs = 60_000;

async function decideOnSomeTicks(
  context: DeciderContext,
  batch: Batch,
  startedAtMs: number,
): Promise<number> {
  const { db, clock } = context;
  const nowMs = clock.now().getTime();
  const due = await lockDueStates(db, batch);
  if (due.length === 0) return 0;
  const checkIds = due.map((one) => one.checkId);
  const snapshot = await loadDecisionSnapshot(context, checkIds);
  const tally = await openTally(db, checkIds);
  const lastResultAt = await findLastResultTimes(db, checkIds);
  const mutedIds = due.filter(({ state }) => state.isMuteHeld).map((one) => one.checkId);
  const queued = await listChecksWithQueuedRuns(db, mutedIds);
  for (const { checkId, state } of due) {
    const watched = snapshot.watched.get(checkId);
    if (watched === undefined) continue;
    const lastMs = lastResultAt.get(checkId)?.getTime() ?? 0;
    const isStarting = lastMs < startedAtMs && nowMs < startedAtMs + catchUpMs;
    const isCatchingUp = isStarting || queued.has(checkId);
    const rules = { ...rulesFor(snapshot, watched), isCatchingUp };
    // Start the no-data timer no earlier than the last result, the last change of the check and the
    // start of this server. Passing runs of a passing check are not queued, so the state does not
    // contain the last result. Times without a running server or an active check do not count as
    // missing data.
    const lastResultMs = Math.max(lastMs, watched.sinceMs, startedAtMs);
    const { state: next, decisions } = decideOnTime(
      restartSilence(state, lastResultMs),
      nowMs,
      rules,
    );
    tally.add(watched, next, rules, decisions);
    tally.troubles.note(watched, next, rules, { nowMs, isTick: true });
  }
  await saveOutcome(context, tally.finish(snapshot, nowMs));
  await clearQuarantine(db, tickWork, checkIds);
  return due.length;
}

/** Decides on queued final runs. Returns the number of runs. */
export function decideOnRuns(context: DeciderContext): Promise<number> {
  return decideWithQuarantine(context, {
    name: notableRunWork,
    decide: decideOnSomeRuns,
    listDue: listQueuedCheckIds,
    postpone: async (db, checkId, retryAt) => {
      if (retryAt === null) await deleteQueuedRunsOf(db, checkId);
    },
  });
}

/** Decides on the checks whose tick is due. Returns the number of checks. */
export function decideOnTicks(context: DeciderContext, startedAtMs = 0): Promise<number> {
  return decideWithQuarantine(context, {
    name: tickWork,
    decide: (within, batch) => decideOnSomeTicks(within, batch, startedAtMs),
    listDue: listDueStates,
    postpone: postponeTick,
  });
}

/** Opens and resolves the owed incidents that are due. Returns the number of incidents. */
export function settleOwedIncidents(context: DeciderContext): Promise<number> {
  return decideWithQuarantine(context, {
    name: owedWork,
    decide: (within, { checkId }) => settleSomeOwed(within, checkId),
    listDue: listDueOwed,
    postpone: (db, checkId, retryAt) =>
      retryAt === null ? deleteOwedIncident(db, checkId) : postponeOwed(db, checkId, retryAt),
  });
}
