import { type Database, runSql } from "../../../platform/database.ts";
import type { AlertState } from "../alert-state.ts";

export interface AcknowledgeableState {
  readonly accountId: string;
  readonly checkName: string;
  readonly state: AlertState;
}

/** Locks the alert state of a check, so that concurrent changes do not overwrite each other. */
export async function lockAlertState(
  db: Database,
  accountId: string | null,
  checkId: string,
): Promise<AcknowledgeableState | null> {
  const rows = await runSql<AcknowledgeableState>(
    db,
    `select a.account_id as "accountId", c.name as "checkName", a.state
      from alert_states a join checks_with_period c on c.id = a.check_id
      where a.check_id = $1 and ($2::uuid is null or a.account_id = $2) for update of a`,
    [checkId, accountId],
  );
  return rows[0] ?? null;
}

/** Returns the id of the first alert about a problem; `null` if it is no longer stored. */
export async function findFirstAlertId(
  db: Database,
  accountId: string,
  { checkId, alertNumber }: { readonly checkId: string; readonly alertNumber: number },
): Promise<string | null> {
  const rows = await runSql<{ id: string }>(
    db,
    `select id from alerts where check_id = $1
      and alert_number = $2 and account_id = $3 and kind <> 'NO_ALERT' order by id limit 1`,
    [checkId, alertNumber, accountId],
  );
  return rows[0]?.id ?? null;
}

interface Problem {
  /** Most frequent reason in the messages of the alerts; empty if no message is stored. */
  readonly reason: string;
  /** When the first alert was decided; `null` if no alert is stored. */
  readonly openedAt: Date | null;
}

/** Describes what alerts are about, as the messages about them do. */
export async function describeProblem(
  db: Database,
  accountId: string,
  alerts: readonly { readonly checkId: string; readonly alertNumber: number }[],
): Promise<Problem> {
  const [row] = await runSql<Problem>(
    db,
    `select coalesce(mode() within group (order by d.message ->> 'reason'), '') as reason,
        min(a.at) as "openedAt"
      from unnest($1::uuid[], $2::integer[]) as one (check_id, alert_number)
        join alerts a using (check_id, alert_number)
        left join deliveries d on d.alert_id = a.id
      where a.account_id = $3 and a.kind <> 'NO_ALERT'`,
    [alerts.map(({ checkId }) => checkId), alerts.map(({ alertNumber }) => alertNumber), accountId],
  );
  return row ?? { reason: "", openedAt: null };
}

export interface OpenAlertState extends AcknowledgeableState {
  readonly checkId: string;
  /** Id of the first alert sent for the problem; `null` if that alert is no longer stored. */
  readonly alertId: string | null;
}

/** Lists open alerts, oldest first. */
export async function listOpenAlertStates(
  db: Database,
  accountId: string,
  {
    checkId = null,
    limit,
  }: { readonly checkId?: string | undefined | null; readonly limit: number },
): Promise<OpenAlertState[]> {
  return runSql<OpenAlertState>(
    db,
    `select a.check_id as "checkId", a.account_id as "accountId", c.name as "checkName", a.state,
        (select id from alerts where check_id = a.check_id and kind <> 'NO_ALERT'
          and alert_number = (a.state ->> 'alertNumber')::int order by id limit 1) as "alertId"
      from alert_states a join checks_with_period c on c.id = a.check_id
      where a.account_id = $1 and a.state ->> 'alertedKind' is not null
        and ($2::uuid is null or a.check_id = $2)
      order by (a.state ->> 'openedAtMs')::float8, a.check_id limit $3`,
    [accountId, checkId, limit],
  );
}

/** Stores an acknowledgement for the history, because the alert state loses it on recovery. */
export async function insertAcknowledgement(
  db: Database,
  accountId: string,
  about: {
    readonly checkId: string;
    readonly alertNumber: number;
    readonly at: Date;
    readonly by: string;
  },
): Promise<void> {
  await runSql(
    db,
    `insert into alert_acknowledgements (check_id, alert_number, account_id, at, actor_name)
      values ($1, $2, $3, $4, $5) on conflict (check_id, alert_number)
        do update set at = excluded.at, actor_name = excluded.actor_name`,
    [about.checkId, about.alertNumber, accountId, about.at, about.by],
  );
}

export interface LockedState {
  readonly checkId: string;
  readonly state: AlertState;
}

/**
 * Locks the alert states of checks. Locks are taken in id order, as for alert decisions, to avoid
 * deadlocks.
 */
export async function lockManyStates(
  db: Database,
  accountId: string,
  checkIds: readonly string[],
): Promise<LockedState[]> {
  return runSql<LockedState>(
    db,
    `select check_id as "checkId", state from alert_states
      where account_id = $1 and check_id = any($2::uuid[]) order by check_id for update`,
    [accountId, checkIds],
  );
}

export async function saveManyAcknowledged(
  db: Database,
  accountId: string,
  done: {
    readonly fresh: readonly (LockedState & { readonly alertNumber: number })[];
    readonly at: Date;
    readonly by: string;
  },
): Promise<void> {
  if (done.fresh.length === 0) return;
  const ids = done.fresh.map(({ checkId }) => checkId);
  const states = done.fresh.map(({ state }) => JSON.stringify(state));
  const numbers = done.fresh.map(({ alertNumber }) => alertNumber);
  // Acknowledged alerts need no reminders, but the next evaluation of a check may be scheduled for
  // a reminder. Make an evaluation due now, which schedules the next one without reminders.
  await runSql(
    db,
    `update alert_states a set state = one.state::jsonb, next_tick_at = $1
      from unnest($2::uuid[], $3::text[]) as one (check_id, state)
      where a.check_id = one.check_id and a.account_id = $4`,
    [done.at, ids, states, accountId],
  );
  await runSql(
    db,
    `insert into alert_acknowledgements (check_id, alert_number, account_id, at, actor_name)
      select one.*, $1::uuid, $2::timestamptz, $3::text
      from unnest($4::uuid[], $5::int[]) as one on conflict (check_id, alert_number)
        do update set at = excluded.at, actor_name = excluded.actor_name`,
    [accountId, done.at, done.by, ids, numbers],
  );
}
