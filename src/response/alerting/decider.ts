import { type Database, inTransaction } from "../../platform/database.ts";
import { createOrderedIds } from "../../platform/ordered-id.ts";
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
import {
  type Alert,
  type Decision,
  decideOnRun,
  decideOnTime,
  findNextTickMs,
  type NoAlert,
} from "./alert-decision.ts";
import { composeMessages, type OutgoingAlert } from "./alert-message.ts";
import {
  type AlertRules,
  describeStage,
  endlessAmount,
  listReachedChannelIds,
  orderStages,
} from "./alert-rules.ts";
import {
  type AlertState,
  createAlertState,
  findAlertedPhase,
  findStageProgress,
  findStartMs,
  restartSilence,
} from "./alert-state.ts";
import type { DeciderContext } from "./context.ts";
import {
  type Batch,
  type DecidedAlert,
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
  type SavedAlertState,
  saveAlertStates,
  tickWork,
  tryDeciderLock,
} from "./decider-store.ts";
import { type DecisionSnapshot, loadDecisionSnapshot, rulesFor } from "./decision-snapshot.ts";
import { insertDeliveries } from "./delivery-store.ts";
import { followWithIncidents, settleSomeOwed } from "./incident-follower.ts";
import { describeMute } from "./mutes/mute.ts";
import { TroubleLedger } from "./trouble-ledger.ts";

const verbs = { failing: "failed", degraded: "were degraded" } as const;
const ongoing = { failing: "failing", degraded: "degraded" } as const;
const phaseWords = { ...ongoing, "no-data": "without data", calm: "open" } as const;

const holds: Readonly<Record<string, string>> = {
  deactivated: "Held because the check was deactivated.",
  muted: "Held because the check or its group was muted.",
  "probe-suspect": "Held because the probe could not reach its own anchors.",
  "in-maintenance": "Held because a maintenance window was open.",
  "held-by-parent": "Held because a check that it depends on was failing.",
  "location-silent": "Held because its private location was already reported as offline.",
  flapping: "Held because the state of the check kept changing.",
};

/** Interval at which a held alert is evaluated again. */
const heldTickMs = 60_000;

/** Creates ids that increase even within a millisecond, because alerts are listed in id order. */
const createAlertId = createOrderedIds();

interface Outcome {
  readonly states: readonly SavedAlertState[];
  readonly rows: readonly DecidedAlert[];
  readonly outgoing: readonly OutgoingAlert[];
  readonly troubles: TroubleLedger;
}

/** Collects the decisions of a batch until they are stored. */
class DecisionTally {
  readonly troubles: TroubleLedger;
  readonly #states = new Map<string, { watched: Watched; state: AlertState }>();
  readonly #rows: DecidedAlert[] = [];
  readonly #outgoing: Omit<OutgoingAlert, "reachedChannelIds" | "urgency">[] = [];
  readonly #lastDecisions: Map<string, string>;

  constructor(lastDecisions: Map<string, string>, troubles: TroubleLedger) {
    this.#lastDecisions = lastDecisions;
    this.troubles = troubles;
  }

  stateOf(checkId: string): AlertState | undefined {
    return this.#states.get(checkId)?.state;
  }

  add(
    watched: Watched,
    state: AlertState,
    rules: AlertRules,
    decisions: readonly Decision[],
  ): void {
    this.#states.set(watched.checkId, { watched, state });
    for (const decision of decisions) this.#note(watched, state, rules, decision);
  }

  #note(watched: Watched, state: AlertState, rules: AlertRules, decision: Decision): void {
    const { checkId, accountId } = watched;
    const isSent = decision.kind !== "NO_ALERT";
    const heldKind = isSent ? null : decision.heldKind;
    if (!isSent && heldKind === null) return;
    const summary = `${decision.kind} ${heldKind ?? ""} ${decision.reason}`;
    // Store only one decision for an alert that stays held for the same reason.
    if (!isSent && this.#lastDecisions.get(checkId) === summary) return;
    this.#lastDecisions.set(checkId, summary);
    const id = createAlertId();
    this.#rows.push({
      id,
      accountId,
      checkId,
      alertNumber: isSent ? decision.alertNumber : state.alertNumber,
      kind: decision.kind,
      heldKind,
      reason: decision.reason,
      explanation: explainDecision(decision, state, rules),
      startedAt: new Date(isSent ? decision.startedAtMs : findStartMs(state)),
      parentId: isSent ? null : decision.parentId,
      resultId: decision.resultId,
      isReminder: isSent && decision.isReminder,
      at: new Date(decision.atMs),
    });
    if (isSent) this.#outgoing.push({ id, watched, alert: decision });
  }

  finish(snapshot: DecisionSnapshot, nowMs: number): Outcome {
    const states = [...this.#states.values()].map(({ watched, state }) => {
      const { checkId, accountId } = watched;
      const rules = rulesFor(snapshot, watched);
      const moments = [
        findNextTickMs(state, rules),
        this.troubles.findNextMs(watched, state, rules),
      ].filter((one) => one !== null);
      const tickMs = moments.length === 0 ? null : Math.min(...moments);
      const nextTickAtMs = tickMs === null ? null : tickMs > nowMs ? tickMs : nowMs + heldTickMs;
      return { checkId, accountId, state, nextTickAtMs };
    });
    const outgoing = this.#outgoing.map((one) => {
      const { escalationStages, urgency } = rulesFor(snapshot, one.watched);
      const { escalationStage } = one.alert;
      return {
        ...one,
        urgency,
        reachedChannelIds: listReachedChannelIds(escalationStages, escalationStage),
      };
    });
    return { states, rows: this.#rows, outgoing, troubles: this.troubles };
  }
}

const count = (amount: number, one: string) => `${amount} ${one}${amount === 1 ? "" : "s"}`;

function explainRuns({ phase, failedRuns }: AlertState, { settings }: AlertRules): string {
  const { failedRunThreshold } = settings.runBasedEscalation;
  const isFailing = phase !== "degraded";
  if (failedRunThreshold === 1) {
    return `1 ${isFailing ? "failed" : "degraded"} run is enough for an alert.`;
  }
  const verb = verbs[isFailing ? "failing" : "degraded"];
  const seen = `${count(failedRuns, "run")} in a row ${verb}`;
  return `${seen}; the rules require ${failedRunThreshold}.`;
}

function explainMinutes({ phase }: AlertState, { settings }: AlertRules): string {
  const { minutesFailingThreshold } = settings.timeBasedEscalation;
  const how = ongoing[phase === "degraded" ? "degraded" : "failing"];
  return `It was ${how} for ${minutesFailingThreshold} minutes, as the rules require.`;
}

function explainReminder({ reminderSequence }: Alert, { settings }: AlertRules): string {
  const { amount } = settings.reminders;
  const total = amount >= endlessAmount ? "" : ` of ${Math.max(amount, reminderSequence)}`;
  return `Nobody had acknowledged it: reminder ${reminderSequence}${total}.`;
}

function explainStage(
  { escalationStage }: Alert,
  state: AlertState,
  { escalationStages }: AlertRules,
): string {
  const minutes = orderStages(escalationStages)[escalationStage - 1]?.afterMinutes ?? 0;
  const stage = describeStage(escalationStages, escalationStage);
  if (escalationStage <= findStageProgress(state).hurriedTo) {
    return `${state.hurry?.reason ?? ""} Escalation at once, ${stage}.`.trim();
  }
  return `Nobody had acknowledged it after ${count(minutes, "minute")}: escalation, ${stage}.`;
}

function explainSent(alert: Alert, state: AlertState, rules: AlertRules): string {
  switch (alert.reason) {
    case "run-threshold-reached":
      return explainRuns(state, rules);
    case "time-threshold-reached":
      return explainMinutes(state, rules);
    case "worsened":
      return "It was degraded and started failing; alerts about this are sent immediately.";
    case "improved":
      return "It was failing and is now degraded; alerts about this are sent immediately.";
    case "no-data":
      return rules.noDataMinutes === null
        ? "No result was received within the configured time."
        : `No result was received for ${count(rules.noDataMinutes, "minute")}.`;
    case "recovered":
      return "It passed again.";
    case "flapping-began":
      return rules.flapDamping === null
        ? "The state keeps changing."
        : `It changed ${rules.flapDamping.transitions} times within ` +
            `${rules.flapDamping.windowMinutes} minutes; further alerts are held until it is stable.`;
    case "reminder-due":
      return explainReminder(alert, rules);
    case "mute-ended":
      return `The mute ended, and it is still ${phaseWords[findAlertedPhase(state)]}.`;
    case "snooze-ended":
      return `It was snoozed, and it is still ${phaseWords[findAlertedPhase(state)]}.`;
    case "escalation-stage-due":
      return explainStage(alert, state, rules);
  }
}

function explainHeld({ reason }: NoAlert, { muted, timedMute = null }: AlertRules): string {
  if (reason === "muted" && !muted && timedMute !== null) {
    return `Held because it was muted ${describeMute(timedMute)}.`;
  }
  return holds[reason] ?? "Held.";
}

/** Explains in one sentence why an alert was sent or held, based on the rules at that time. */
function explainDecision(decision: Decision, state: AlertState, rules: AlertRules): string {
  return decision.kind === "NO_ALERT"
    ? explainHeld(decision, rules)
    : explainSent(decision, state, rules);
}

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
