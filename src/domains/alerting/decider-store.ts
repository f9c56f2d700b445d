import type pg from "pg";
import type { AlertState } from "./alert-state.ts";

/** One decider at a time over all servers, so that the runs of a check are decided in order. */
const deciderLock = 7_333_886;

export async function tryDeciderLock(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    "select pg_try_advisory_xact_lock($1) as taken",
    [deciderLock],
  );
  return rows[0]?.taken ?? false;
}

export interface NotableRun {
  readonly id: number;
  readonly accountId: string;
  readonly checkId: string;
  readonly resultId: string;
  readonly location: string;
  readonly verdict: "passing" | "degraded" | "failing" | "unknown";
  readonly dueAt: Date;
  readonly heardAt: Date | null;
  readonly recordedAt: Date;
}

/** Which rows a batch is made of. */
export interface Batch {
  readonly limit: number;
  readonly now: Date;
  /** Of one check alone, whether or not it is set aside; null for all that are not. */
  readonly checkId: string | null;
}

/** The names under which checks are set aside. */
export const runWork = "decide on runs";
export const tickWork = "decide on time";
export const owedWork = "open and resolve owed incidents";
export type DeciderWork = typeof runWork | typeof tickWork | typeof owedWork;

export async function listNotableRuns(client: pg.PoolClient, batch: Batch): Promise<NotableRun[]> {
  const { rows } = await client.query<NotableRun>({
    name: "list-notable-runs",
    text: `select id, account_id as "accountId", check_id as "checkId", result_id as "resultId",
      location, verdict, due_at as "dueAt", heard_at as "heardAt", recorded_at as "recordedAt"
      from notable_runs where case when $2::uuid is null
        then not exists (select 1 from set_aside as aside where aside.work = $3
          and aside.key = check_id::text and aside.retry_at > $4)
        else check_id = $2 end
      order by id limit $1`,
    values: [batch.limit, batch.checkId, runWork, batch.now],
  });
  return rows;
}

export async function deleteNotableRuns(
  client: pg.PoolClient,
  ids: readonly number[],
): Promise<void> {
  await client.query("delete from notable_runs where id = any($1::bigint[])", [ids]);
}

interface StateRow {
  readonly check_id: string;
  readonly account_id: string;
  readonly state: AlertState;
}

export async function lockAlertStates(
  client: pg.PoolClient,
  checkIds: readonly string[],
): Promise<Map<string, AlertState>> {
  const { rows } = await client.query<StateRow>({
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
  client: pg.PoolClient,
  { now, limit, checkId }: Batch,
): Promise<TickedState[]> {
  const { rows } = await client.query<StateRow>({
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
  client: pg.PoolClient,
  saved: readonly SavedAlertState[],
): Promise<void> {
  if (saved.length === 0) return;
  await client.query({
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

export interface DecidedAlert {
  readonly id: string;
  readonly accountId: string;
  readonly checkId: string;
  readonly alertNumber: number;
  readonly kind: string;
  readonly heldKind: string | null;
  readonly reason: string;
  readonly parentId: string | null;
  readonly resultId: string | null;
  readonly isReminder: boolean;
  readonly at: Date;
}

export async function insertAlerts(
  client: pg.PoolClient,
  alerts: readonly DecidedAlert[],
  decidedAt: Date,
): Promise<void> {
  if (alerts.length === 0) return;
  await client.query({
    name: "insert-alerts",
    text: `insert into alerts (id, account_id, check_id, alert_number, kind, held_kind, reason,
        parent_id, result_id, is_reminder, at, decided_at)
      select id, account_id, check_id, alert_number, kind, held_kind, reason, parent_id,
        result_id, is_reminder, at, $12
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::text[], $6::text[],
        $7::text[], $8::uuid[], $9::uuid[], $10::boolean[], $11::timestamptz[])
        as one (id, account_id, check_id, alert_number, kind, held_kind, reason, parent_id,
          result_id, is_reminder, at)`,
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
      decidedAt,
    ],
  });
}

/** For a check that never alerted, what it said last, so that a held alert is written once. */
export async function listLastHeld(
  client: pg.PoolClient,
  checkIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await client.query<{ check_id: string; said: string }>({
    name: "list-last-held",
    text: `select distinct on (check_id) check_id,
        kind || ' ' || coalesce(held_kind, '') || ' ' || reason as said
      from alerts where check_id = any($1::uuid[]) order by check_id, id desc`,
    values: [checkIds],
  });
  return new Map(rows.map((row) => [row.check_id, row.said]));
}

const dueChecks: Readonly<Record<DeciderWork, string>> = {
  [runWork]: `select check_id from notable_runs where not exists (select 1 from set_aside as aside
      where aside.work = '${runWork}' and aside.key = check_id::text and aside.retry_at > $1)
    group by check_id order by min(id) limit $2`,
  [tickWork]: `select check_id from alert_states where next_tick_at <= $1
    order by next_tick_at limit $2`,
  [owedWork]: `select check_id from owed_incidents where next_attempt_at <= $1
    order by next_attempt_at limit $2`,
};

/** For a batch that failed as a whole: whose rows it was made of. */
export async function listDueChecks(
  pool: pg.Pool,
  work: DeciderWork,
  { limit, now }: Omit<Batch, "checkId">,
): Promise<string[]> {
  const { rows } = await pool.query<{ check_id: string }>(dueChecks[work], [now, limit]);
  return rows.map((row) => row.check_id);
}

/** Given up: nobody could decide on them for a day. */
export async function deleteNotableRunsOf(pool: pg.Pool, checkId: string): Promise<void> {
  await pool.query("delete from notable_runs where check_id = $1", [checkId]);
}

export async function postponeTick(pool: pg.Pool, checkId: string, at: Date | null): Promise<void> {
  await pool.query("update alert_states set next_tick_at = $2 where check_id = $1", [checkId, at]);
}
