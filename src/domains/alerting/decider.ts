import { randomUUIDv7 } from "node:crypto";
import type pg from "pg";
import { databaseOn } from "../../platform/database.ts";
import { clearSetAside, isPassing, setAside } from "../../platform/set-aside.ts";
import { findHeardTimes, mapOpenTroubles, type Watched } from "../runs/index.ts";
import { addressAlerts, type Told } from "./addressing.ts";
import { type Decision, decideOnRun, decideOnTime, findNextTickMs } from "./alert-decision.ts";
import { type AlertState, createAlertState, restartSilence } from "./alert-state.ts";
import { followWithIncidents, settleSomeOwed } from "./automatic-incidents/incident-follower.ts";
import { deleteOwedIncident, postponeOwed } from "./automatic-incidents/owed-incident-store.ts";
import type { AlertingContext } from "./context.ts";
import {
  type Batch,
  type DecidedAlert,
  type DeciderWork,
  deleteNotableRuns,
  deleteNotableRunsOf,
  insertAlerts,
  listDueChecks,
  listLastHeld,
  listNotableRuns,
  lockAlertStates,
  lockDueStates,
  type NotableRun,
  owedWork,
  postponeTick,
  runWork,
  type SavedAlertState,
  saveAlertStates,
  tickWork,
  tryDeciderLock,
} from "./decider-store.ts";
import { type DecisionWorld, loadDecisionWorld, rulesFor } from "./decision-world.ts";
import { insertDeliveries } from "./delivery-store.ts";
import { listReachedChannelIds } from "./escalation.ts";
import { TroubleLedger } from "./trouble-ledger.ts";

/** One transaction each, and so little memory however many checks fail at once. */
export const decisionBatch = 500;
/** What is due but held is looked at again after this long. */
const heldTickMs = 60_000;

interface Outcome {
  readonly states: readonly SavedAlertState[];
  readonly rows: readonly DecidedAlert[];
  readonly told: readonly Told[];
  readonly troubles: TroubleLedger;
}

/** Gathers what follows from the decisions on several checks. */
class Tally {
  readonly #states = new Map<string, { watched: Watched; state: AlertState }>();
  readonly #rows: DecidedAlert[] = [];
  readonly #told: Omit<Told, "reachedChannelIds">[] = [];
  readonly #lastSaid: Map<string, string>;
  readonly #troubles: TroubleLedger;

  constructor(lastSaid: Map<string, string>, troubles: TroubleLedger) {
    this.#lastSaid = lastSaid;
    this.#troubles = troubles;
  }

  stateOf(checkId: string): AlertState | undefined {
    return this.#states.get(checkId)?.state;
  }

  add(watched: Watched, state: AlertState, decisions: readonly Decision[]): void {
    this.#states.set(watched.checkId, { watched, state });
    for (const decision of decisions) this.#note(watched, state, decision);
  }

  #note(watched: Watched, state: AlertState, decision: Decision): void {
    const { checkId, accountId } = watched;
    const isTold = decision.kind !== "NO_ALERT";
    const heldKind = isTold ? null : decision.heldKind;
    if (!isTold && heldKind === null) return;
    const said = `${decision.kind} ${heldKind ?? ""} ${decision.reason}`;
    // The same thing held for the same reason, run after run, is one entry.
    if (!isTold && this.#lastSaid.get(checkId) === said) return;
    this.#lastSaid.set(checkId, said);
    const id = randomUUIDv7();
    this.#rows.push({
      id,
      accountId,
      checkId,
      alertNumber: isTold ? decision.alertNumber : state.alertNumber,
      kind: decision.kind,
      heldKind,
      reason: decision.reason,
      parentId: isTold ? null : decision.parentId,
      resultId: decision.resultId,
      isReminder: isTold && decision.isReminder,
      at: new Date(decision.atMs),
    });
    if (isTold) this.#told.push({ id, watched, alert: decision });
  }

  finish(world: DecisionWorld, nowMs: number): Outcome {
    const states = [...this.#states.values()].map(({ watched, state }) => {
      const { checkId, accountId } = watched;
      const rules = rulesFor(world, watched);
      const moments = [
        findNextTickMs(state, rules),
        this.#troubles.findNextMs(watched, state, rules),
      ].filter((one) => one !== null);
      const tickMs = moments.length === 0 ? null : Math.min(...moments);
      const nextTickAtMs = tickMs === null ? null : tickMs > nowMs ? tickMs : nowMs + heldTickMs;
      return { checkId, accountId, state, nextTickAtMs };
    });
    const told = this.#told.map((one) => {
      const { escalationStages } = rulesFor(world, one.watched);
      const { escalationStage } = one.alert;
      return {
        ...one,
        reachedChannelIds: listReachedChannelIds(escalationStages, escalationStage),
      };
    });
    return { states, rows: this.#rows, told, troubles: this.#troubles };
  }
}

async function saveOutcome(
  context: AlertingContext,
  client: pg.PoolClient,
  outcome: Outcome,
): Promise<void> {
  const now = context.clock.now();
  await saveAlertStates(client, outcome.states);
  await outcome.troubles.save(client);
  await insertAlerts(client, outcome.rows, now);
  await insertDeliveries(client, await addressAlerts(context, outcome.told), now);
  await followWithIncidents(context, client, outcome.told);
  for (const { kind } of outcome.rows) context.alertMetrics.decisions.inc({ kind });
}

export async function inTransaction<Value>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Value>,
): Promise<Value> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const value = await work(client);
    await client.query("commit");
    client.release();
    return value;
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
}

async function openTally(client: pg.PoolClient, checkIds: readonly string[]) {
  const troubles = new TroubleLedger(await mapOpenTroubles(databaseOn(client), checkIds));
  return { troubles, tally: new Tally(await listLastHeld(client, checkIds), troubles) };
}

interface Decided {
  readonly watched: Watched;
  readonly world: DecisionWorld;
  readonly stored: AlertState | undefined;
  readonly troubles: TroubleLedger;
}

function decideRun(tally: Tally, run: NotableRun, about: Decided): void {
  const { watched, world, stored, troubles } = about;
  const dueAtMs = run.dueAt.getTime();
  const fresh = createAlertState(run.heardAt?.getTime() ?? dueAtMs);
  const before = tally.stateOf(run.checkId) ?? stored ?? fresh;
  // Runs that passed as those before them are not told of here; this says when the last was.
  const state = run.heardAt === null ? before : restartSilence(before, run.heardAt.getTime());
  const rules = rulesFor(world, watched);
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
    },
    rules,
  );
  tally.add(watched, next, [decision]);
  troubles.note(watched, next, rules, { nowMs: decision.atMs, isTick: false });
}

/** One check's rows alone are the smallest batch; without an id, those of all. */
function planBatch(context: AlertingContext, checkId: string | null): Batch {
  return { limit: decisionBatch, now: context.clock.now(), checkId };
}

function decideOnSomeRuns(context: AlertingContext, batch: Batch): Promise<number> {
  return inTransaction(context.pool, async (client) => {
    if (!(await tryDeciderLock(client))) return 0;
    const runs = await listNotableRuns(client, batch);
    if (runs.length === 0) return 0;
    const checkIds = [...new Set(runs.map((run) => run.checkId))];
    const world = await loadDecisionWorld(context, checkIds);
    const stored = await lockAlertStates(client, checkIds);
    const { tally, troubles } = await openTally(client, checkIds);
    for (const run of runs) {
      const watched = world.watched.get(run.checkId);
      if (watched === undefined) continue;
      decideRun(tally, run, { watched, world, stored: stored.get(run.checkId), troubles });
    }
    await saveOutcome(context, client, tally.finish(world, context.clock.now().getTime()));
    const ids = runs.map((run) => run.id);
    await deleteNotableRuns(client, ids);
    await clearSetAside(databaseOn(client), runWork, checkIds);
    return runs.length;
  });
}

function decideOnSomeTicks(
  context: AlertingContext,
  batch: Batch,
  awakeSinceMs: number,
): Promise<number> {
  return inTransaction(context.pool, async (client) => {
    if (!(await tryDeciderLock(client))) return 0;
    const now = context.clock.now();
    const due = await lockDueStates(client, batch);
    if (due.length === 0) return 0;
    const checkIds = due.map((one) => one.checkId);
    const world = await loadDecisionWorld(context, checkIds);
    const { tally, troubles } = await openTally(client, checkIds);
    const heardAt = await findHeardTimes(databaseOn(client), checkIds);
    for (const { checkId, state } of due) {
      const watched = world.watched.get(checkId);
      if (watched === undefined) continue;
      const rules = rulesFor(world, watched);
      // Runs that passed as those before them are told to nobody, and are no silence; nor is the
      // time before a check was switched on, or before this server was.
      const lastMs = heardAt.get(checkId)?.getTime() ?? 0;
      const heardMs = Math.max(lastMs, watched.sinceMs, awakeSinceMs);
      const heard = restartSilence(state, heardMs);
      const { state: next, decisions } = decideOnTime(heard, now.getTime(), rules);
      tally.add(watched, next, decisions);
      troubles.note(watched, next, rules, { nowMs: now.getTime(), isTick: true });
    }
    await saveOutcome(context, client, tally.finish(world, now.getTime()));
    await clearSetAside(databaseOn(client), tickWork, checkIds);
    return due.length;
  });
}

/** Runs wait by being set aside; whatever is due at a moment gets another one. Null: given up. */
const putOff: Readonly<
  Record<DeciderWork, (pool: pg.Pool, checkId: string, retryAt: Date | null) => Promise<void>>
> = {
  [runWork]: async (pool, checkId, retryAt) => {
    if (retryAt === null) await deleteNotableRunsOf(pool, checkId);
  },
  [tickWork]: postponeTick,
  [owedWork]: (pool, checkId, retryAt) =>
    retryAt === null ? deleteOwedIncident(pool, checkId) : postponeOwed(pool, checkId, retryAt),
};

/**
 * A batch that fails for good is decided one check at a time. Whichever fails alone is set aside
 * with the reason, so that one poisoned row never stops the alerts of everybody else.
 */
async function decideApart(
  context: AlertingContext,
  work: DeciderWork,
  decide: (batch: Batch) => Promise<number>,
): Promise<number> {
  try {
    return await decide(planBatch(context, null));
  } catch (error) {
    if (isPassing(error)) throw error;
  }
  let count = 0;
  const { pool, clock } = context;
  for (const checkId of await listDueChecks(pool, work, planBatch(context, null))) {
    try {
      count += await decide(planBatch(context, checkId));
    } catch (error) {
      if (isPassing(error)) throw error;
      const retryAt = await setAside(context, { work, key: checkId, error, now: clock.now() });
      await putOff[work](pool, checkId, retryAt);
    }
  }
  return count;
}

/** Decides on the runs that were recorded; tells how many there were. */
export function decideOnRuns(context: AlertingContext): Promise<number> {
  return decideApart(context, runWork, (batch) => decideOnSomeRuns(context, batch));
}

/** Decides on what follows from time alone; tells how many checks there were. */
export function decideOnTicks(context: AlertingContext, awakeSinceMs = 0): Promise<number> {
  return decideApart(context, tickWork, (batch) => decideOnSomeTicks(context, batch, awakeSinceMs));
}

/** Does what is owed and due, as far as the alerts still ask for it; says how many there were. */
export function settleOwedIncidents(context: AlertingContext): Promise<number> {
  return decideApart(context, owedWork, (batch) =>
    inTransaction(context.pool, (client) => settleSomeOwed(context, client, batch.checkId)),
  );
}
