import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { type AlertState, findAlertedPhase } from "./alert-state.ts";
import type { AlertedCheck } from "./automatic-incidents/rule-decision.ts";

/** Lists those of the given checks that are active and have an open alert. */
export async function listAlertedChecks(
  db: Database,
  accountId: string,
  checkIds: readonly string[],
): Promise<AlertedCheck[]> {
  const text = `select one.id, one.tags, alerted.state from alert_states as alerted
    join checks_with_group as one on one.id = alerted.check_id
    where alerted.check_id = any($2::uuid[]) and one.account_id = $1 and one.is_active
      and alerted.state ->> 'alertedKind' is not null`;
  const rows = await runSql<{ id: string; tags: string[]; state: AlertState }>(db, text, [
    accountId,
    checkIds,
  ]);
  return rows.map(({ state, ...check }) => {
    return { ...check, isFailing: findAlertedPhase(state) === "failing" };
  });
}

/**
 * Key of the advisory lock that lets only one server decide on alerts at a time. The decisions on a
 * check therefore stay in order, and a parent check is decided before its children.
 */
const deciderLock = 7_333_886;
/** Maximum time that a stalled server holds the lock for alert decisions. */
const stillMs = 5_000;

export async function tryDeciderLock(db: Database): Promise<boolean> {
  const [row] = await runSql<{ taken: boolean }>(
    db,
    `select pg_try_advisory_xact_lock($1) as taken,
      set_config('idle_in_transaction_session_timeout', $2, true)`,
    [deciderLock, String(stillMs)],
  );
  return row?.taken ?? false;
}

export interface Batch {
  readonly limit: number;
  readonly now: Date;
  /** Id of the only check to process; `null` for all checks that are not in quarantine. */
  readonly checkId: string | null;
}

/** Name under which a check is quarantined if its ticks fail. */
export const tickWork = "decide on time";

interface StateRow {
  readonly check_id: string;
  readonly account_id: string;
  readonly state: AlertState;
}

export async function lockAlertStates(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, AlertState>> {
  const rows = await runPrepared<StateRow>(db, {
    name: "lock-alert-states",
    text: `select check_id, account_id, state from alert_states
      where check_id = any($1::uuid[]) order by check_id for update`,
    values: [checkIds],
  });
  return new Map(rows.map((row) => [row.check_id, row.state]));
}

export interface TickedState {
  readonly checkId: string;
  readonly accountId: string;
  readonly state: AlertState;
}

export async function lockDueStates(
  db: Database,
  { now, limit, checkId }: Batch,
): Promise<TickedState[]> {
  const rows = await runPrepared<StateRow>(db, {
    name: "lock-due-alert-states",
    text: `select check_id, account_id, state from alert_states where next_tick_at <= $1
        and ($3::uuid is null or check_id = $3)
      order by next_tick_at limit $2 for update skip locked`,
    values: [now, limit, checkId],
  });
  return rows.map((row) => ({
    checkId: row.check_id,
    accountId: row.account_id,
    state: row.state,
  }));
}

export interface SavedAlertState extends TickedState {
  readonly nextTickAtMs: number | null;
}

export async function saveAlertStates(
  db: Database,
  saved: readonly SavedAlertState[],
): Promise<void> {
  if (saved.length === 0) return;
  await runPrepared(db, {
    name: "save-alert-states",
    text: `insert into alert_states (check_id, account_id, state, next_tick_at)
      select check_id, account_id, state::jsonb, to_timestamp(tick_ms / 1000)
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::float8[])
        as one (check_id, account_id, state, tick_ms) order by check_id
      on conflict (check_id) do update set state = excluded.state,
        next_tick_at = excluded.next_tick_at`,
    values: [
      saved.map((one) => one.checkId),
      saved.map((one) => one.accountId),
      saved.map((one) => JSON.stringify(one.state)),
      saved.map((one) => one.nextTickAtMs),
    ],
  });
}

/** Stores an alert state that was changed by a person or by a failed page. */
export async function saveAlertState(
  db: Database,
  accountId: string,
  change: { readonly checkId: string; readonly state: AlertState; readonly now: Date },
): Promise<void> {
  // Make a tick due now. The tick then schedules the next one according to the new state.
  await runSql(
    db,
    `update alert_states set state = $1::jsonb, next_tick_at = $2
      where check_id = $3 and account_id = $4`,
    [JSON.stringify(change.state), change.now, change.checkId, accountId],
  );
}

export interface DecidedAlert {
  readonly id: string;
  readonly accountId: string;
  readonly checkId: string;
  readonly alertNumber: number;
  readonly kind: string;
  readonly heldKind: string | null;
  readonly reason: string;
  /** One sentence that explains why the alert was sent or held. */
  readonly explanation: string;
  /** When the reported state began. */
  readonly startedAt: Date;
  readonly parentId: string | null;
  readonly resultId: string | null;
  readonly isReminder: boolean;
  readonly at: Date;
}

export async function insertAlerts(
  db: Database,
  alerts: readonly DecidedAlert[],
  decidedAt: Date,
): Promise<void> {
  if (alerts.length === 0) return;
  await runPrepared(db, {
    name: "insert-alerts",
    text: `insert into alerts (id, account_id, check_id, alert_number, kind, held_kind, reason,
        parent_id, result_id, is_reminder, at, explanation, started_at, decided_at)
      select one.*, $14
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::text[], $6::text[],
        $7::text[], $8::uuid[], $9::uuid[], $10::boolean[], $11::timestamptz[], $12::text[],
        $13::timestamptz[]) as one`,
    values: [
      alerts.map((one) => one.id),
      alerts.map((one) => one.accountId),
      alerts.map((one) => one.checkId),
      alerts.map((one) => one.alertNumber),
      alerts.map((one) => one.kind),
      alerts.map((one) => one.heldKind),
      alerts.map((one) => one.reason),
      alerts.map((one) => one.parentId),
      alerts.map((one) => one.resultId),
      alerts.map((one) => one.isReminder),
      alerts.map((one) => one.at),
      alerts.map((one) => one.explanation),
      alerts.map((one) => one.startedAt),
      decidedAt,
    ],
  });
}

/** Returns the last decision on each check, so that repeated decisions are not stored. */
export async function listLastDecisions(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await runPrepared<{ check_id: string; summary: string }>(db, {
    name: "list-last-decisions",
    text: `select distinct on (check_id) check_id,
        kind || ' ' || coalesce(held_kind, '') || ' ' || reason as summary
      from alerts where check_id = any($1::uuid[]) order by check_id, id desc`,
    values: [checkIds],
  });
  return new Map(rows.map((row) => [row.check_id, row.summary]));
}

/** Lists the checks whose tick is due. Used to retry a failed batch one check at a time. */
export async function listDueStates(
  db: Database,
  { limit, now }: Pick<Batch, "limit" | "now">,
): Promise<string[]> {
  const rows = await runSql<{ check_id: string }>(
    db,
    "select check_id from alert_states where next_tick_at <= $1 order by next_tick_at limit $2",
    [now, limit],
  );
  return rows.map((row) => row.check_id);
}

/** Sets the next tick of a check; `null` if the check needs no tick until its next run. */
export async function postponeTick(db: Database, checkId: string, at: Date | null): Promise<void> {
  await runSql(db, "update alert_states set next_tick_at = $2 where check_id = $1", [checkId, at]);
}

export interface CheckAlert {
  readonly id: string;
  readonly kind: string;
  readonly at: Date;
}

/** Lists the alerts of a check that were sent within a time range, newest first. */
export function listSentAlerts(
  db: Database,
  checkId: string,
  query: { readonly from: Date; readonly to: Date; readonly limit: number },
): Promise<CheckAlert[]> {
  return runPrepared<CheckAlert>(db, {
    name: "list-sent-alerts",
    text: `select id, kind, at from alerts where check_id = $1 and held_kind is null
        and at >= $2 and at < $3 order by id desc limit $4`,
    values: [checkId, query.from, query.to, query.limit],
  });
}

/**
 * Whether the escalation has sent an alert to a later step than the step of the given page. Several
 * overdue steps may be sent with the same decision time. The order of their alert ids then shows
 * which step is later.
 */
export async function hasLaterStep(
  db: Database,
  accountId: string,
  page: { readonly id: string; readonly checkId: string; readonly alertNumber: number },
): Promise<boolean> {
  const rows = await runSql(
    db,
    `select 1 from alerts a join deliveries page on page.id = $4
      where a.check_id = $2 and a.alert_number = $3 and a.account_id = $1
        and a.reason = 'escalation-stage-due'
        and (a.decided_at, a.id) > (page.decided_at, page.alert_id) limit 1`,
    [accountId, page.checkId, page.alertNumber, page.id],
  );
  return rows.length > 0;
}

/**
 * Name under which a check is quarantined if the work on its owed incident fails. An incident is
 * owed if it must still be opened or resolved because of an alert.
 */
export const owedWork = "open and resolve owed incidents";

/** An automatic incident that must still be opened or resolved because of an alert. */
export interface OwedIncident {
  readonly checkId: string;
  readonly accountId: string;
  readonly alertNumber: number;
  readonly action: "OPEN" | "RESOLVE";
  /** Name of the incident to open; empty if an incident must be resolved. */
  readonly name: string;
  readonly description: string;
  /** Number of failed attempts. Delays because of a maintenance window do not count. */
  readonly attempts: number;
}

export async function saveOwedIncident(
  db: Database,
  owed: OwedIncident,
  nextAttemptAt: Date,
): Promise<void> {
  await runPrepared(db, {
    name: "save-owed-incident",
    text: `insert into owed_incidents (check_id, account_id, alert_number, action, name,
        description, attempts, next_attempt_at) values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (check_id) do update set alert_number = excluded.alert_number,
        action = excluded.action, name = excluded.name, description = excluded.description,
        attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at`,
    values: [
      owed.checkId,
      owed.accountId,
      owed.alertNumber,
      owed.action,
      owed.name,
      owed.description,
      owed.attempts,
      nextAttemptAt,
    ],
  });
}

export function lockDueOwed(db: Database, { now, limit, checkId }: Batch): Promise<OwedIncident[]> {
  return runPrepared<OwedIncident>(db, {
    name: "lock-due-owed-incidents",
    text: `select check_id as "checkId", account_id as "accountId", alert_number as "alertNumber",
        action, name, description, attempts
      from owed_incidents where next_attempt_at <= $1 and ($3::uuid is null or check_id = $3)
      order by next_attempt_at limit $2 for update skip locked`,
    values: [now, limit, checkId],
  });
}

/** Lists the checks whose owed incident is due, to retry a failed batch one check at a time. */
export async function listDueOwed(
  db: Database,
  { limit, now }: Pick<Batch, "limit" | "now">,
): Promise<string[]> {
  const rows = await runSql<{ check_id: string }>(
    db,
    `select check_id from owed_incidents where next_attempt_at <= $1
      order by next_attempt_at limit $2`,
    [now, limit],
  );
  return rows.map((row) => row.check_id);
}

export async function postponeOwed(db: Database, checkId: string, at: Date): Promise<void> {
  await runSql(db, "update owed_incidents set next_attempt_at = $2 where check_id = $1", [
    checkId,
    at,
  ]);
}

export async function deleteOwedIncident(db: Database, checkId: string): Promise<void> {
  await runPrepared(db, {
    name: "delete-owed-incident",
    text: "delete from owed_incidents where check_id = $1",
    values: [checkId],
  });
}
