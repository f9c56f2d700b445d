import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import { checkRows } from "../../checks/index.ts";
import type { AlertState } from "../alert-state.ts";

export interface AcknowledgeableState {
  readonly accountId: string;
  readonly checkName: string;
  readonly state: AlertState;
}

/** Locks the row so that an acknowledgement and a decision do not overwrite each other. */
export async function lockAlertState(
  db: Database,
  accountId: string | null,
  checkId: string,
): Promise<AcknowledgeableState | null> {
  const { rows } = await sql<AcknowledgeableState>`
    select a.account_id as "accountId", c.name as "checkName", a.state
    from alert_states a join ${sql.raw(checkRows)} c on c.id = a.check_id
    where a.check_id = ${checkId} and (${accountId}::uuid is null or a.account_id = ${accountId})
    for update of a`.execute(db);
  return rows[0] ?? null;
}

/** Returns the first alert sent for a problem; `null` if it is no longer stored. */
export async function findFirstAlertId(
  db: Database,
  accountId: string,
  { checkId, alertNumber }: { readonly checkId: string; readonly alertNumber: number },
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`select id from alerts where check_id = ${checkId}
    and alert_number = ${alertNumber} and account_id = ${accountId} and kind <> 'NO_ALERT'
    order by id limit 1`.execute(db);
  return rows[0]?.id ?? null;
}

export interface OpenAlertState extends AcknowledgeableState {
  readonly checkId: string;
  /** Id of the first alert; `null` if it is no longer stored. */
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
  const { rows } = await sql<OpenAlertState>`
    select a.check_id as "checkId", a.account_id as "accountId", c.name as "checkName", a.state,
      (select id from alerts where check_id = a.check_id and kind <> 'NO_ALERT'
        and alert_number = (a.state ->> 'alertNumber')::int order by id limit 1) as "alertId"
    from alert_states a join ${sql.raw(checkRows)} c on c.id = a.check_id
    where a.account_id = ${accountId} and a.state ->> 'alertedKind' is not null
      and (${checkId}::uuid is null or a.check_id = ${checkId})
    order by (a.state ->> 'openedAtMs')::float8, a.check_id limit ${limit}`.execute(db);
  return rows;
}

/** Stores the acknowledgement permanently; the alert state drops it when the check recovers. */
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
  await sql`insert into alert_acknowledgements (check_id, alert_number, account_id, at, actor_name)
    values (${about.checkId}, ${about.alertNumber}, ${accountId}, ${about.at}, ${about.by})
    on conflict do nothing`.execute(db);
}

export async function saveAlertState(
  db: Database,
  accountId: string,
  change: { readonly checkId: string; readonly state: AlertState; readonly now: Date },
): Promise<void> {
  // Reminders may no longer be due; the next tick recomputes that.
  await sql`update alert_states set state = ${JSON.stringify(change.state)}::jsonb,
      next_tick_at = ${change.now}
    where check_id = ${change.checkId} and account_id = ${accountId}`.execute(db);
}

export interface LockedState {
  readonly checkId: string;
  readonly state: AlertState;
}

/** Locks the rows in id order, the same order decisions use, to avoid deadlocks. */
export async function lockManyStates(
  db: Database,
  accountId: string,
  checkIds: readonly string[],
): Promise<LockedState[]> {
  const { rows } = await sql<LockedState>`select check_id as "checkId", state from alert_states
    where account_id = ${accountId} and check_id = any(${[...checkIds]}::uuid[])
    order by check_id for update`.execute(db);
  return rows;
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
  // Reminders may no longer be due; the next tick recomputes that.
  await sql`update alert_states a set state = one.state::jsonb, next_tick_at = ${done.at}
    from unnest(${ids}::uuid[], ${states}::text[]) as one (check_id, state)
    where a.check_id = one.check_id and a.account_id = ${accountId}`.execute(db);
  await sql`insert into alert_acknowledgements (check_id, alert_number, account_id, at, actor_name)
    select one.*, ${accountId}::uuid, ${done.at}::timestamptz, ${done.by}::text
    from unnest(${ids}::uuid[], ${numbers}::int[]) as one
    on conflict do nothing`.execute(db);
}
