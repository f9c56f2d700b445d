import { timingSafeEqual } from "node:crypto";
import type { Order } from "../../contract/order.ts";
import type { Result } from "../../contract/result.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { hashSecret } from "../../platform/secrets.ts";

/** Number of shards: few enough for one table row each, enough to distribute over servers. */
export const shardCount = 64;

/**
 * Stores retry orders. Must run in the transaction that stores the failed attempt, so that a crash
 * loses no retry.
 */
export async function insertRetries(db: Database, orders: readonly Order[]): Promise<void> {
  if (orders.length === 0) return;
  await runPrepared(db, {
    name: "insert-retries",
    text: `insert into pending_retries (run_id, check_id, start_at, retry_order)
      select run_id, check_id, to_timestamp(start_ms / 1000), retry_order::jsonb
      from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::text[])
        as one (run_id, check_id, start_ms, retry_order)
      on conflict do nothing`,
    values: [
      orders.map((order) => order.runId),
      orders.map((order) => order.checkId),
      orders.map((order) => order.startAtMs),
      orders.map((order) => JSON.stringify(order)),
    ],
  });
}

/** Returns the planned start of each retry, keyed by run id. First attempts need no query. */
export async function findRetryStarts(
  db: Database,
  results: readonly Result[],
): Promise<ReadonlyMap<string, number>> {
  const runIds = results.filter(({ attempt }) => attempt > 1).map(({ runId }) => runId);
  if (runIds.length === 0) return new Map();
  const rows = await runPrepared<{ run_id: string; start_at: Date }>(db, {
    name: "find-retry-starts",
    text: "select run_id, start_at from pending_retries where run_id = any($1::uuid[])",
    values: [runIds],
  });
  return new Map(rows.map((row) => [row.run_id, row.start_at.getTime()]));
}

export async function deleteRetries(db: Database, runIds: readonly string[]): Promise<void> {
  await runPrepared(db, {
    name: "delete-retries",
    text: "delete from pending_retries where run_id = any($1::uuid[])",
    values: [runIds],
  });
}

export async function listDueRetries(db: Database, before: Date): Promise<Order[]> {
  const rows = await runPrepared<{ retry_order: Order }>(db, {
    name: "list-due-retries",
    text: `select retry_order from pending_retries where start_at <= $1
      order by start_at limit 5000`,
    values: [before],
  });
  return rows.map((row) => row.retry_order);
}

export async function deleteRetriesBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from pending_retries where start_at < $1", [before]);
}

/** Validity of a lease. A server that does not renew its leases in time loses its shards. */
export const leaseMs = 8_000;

export interface LeaseTurn {
  readonly holder: string;
  /**
   * Current time in tests; `null` uses the database clock, because the clocks of servers differ.
   */
  readonly now: Date | null;
}

export interface LeaseRow {
  readonly shard: number;
  /** Id of the server that held the lease before this query; empty if the lease was released. */
  readonly holder: string;
  /** Whether this server held the lease and has now renewed it. */
  readonly isRenewed: boolean;
  /**
   * Milliseconds since the lease expired, or negative if the lease is valid. If this query renews
   * the lease, the expiry before the renewal counts.
   */
  readonly expiredForMs: number;
}

const now = "coalesce($2::timestamptz, clock_timestamp())";
const expiry = `${now} + ${leaseMs} * interval '1 ms'`;

/** Renews this server's leases. Returns all leases ever held, with their previous holders. */
export async function renewLeases(db: Database, turn: LeaseTurn): Promise<LeaseRow[]> {
  return runPrepared<LeaseRow>(db, {
    name: "renew-leases",
    text: `with renewed as (
        update schedule_leases set expires_at = ${expiry} where holder = $1 returning shard)
      select shard, holder, renewed.shard is not null as "isRenewed",
        (extract(epoch from ${now} - expires_at) * 1000)::float8 as "expiredForMs"
      from schedule_leases left join renewed using (shard) where shard < ${shardCount}`,
    values: [turn.holder, turn.now],
  });
}

/** Acquires expired or released leases. Returns those that no other server acquired first. */
export async function acquireLeases(
  db: Database,
  { holder, now: at }: LeaseTurn,
  shards: readonly number[],
): Promise<number[]> {
  const rows = await runPrepared<{ shard: number }>(db, {
    name: "take-leases",
    text: `insert into schedule_leases as existing (shard, holder, expires_at)
      select shard, $1, ${expiry} from unnest($3::smallint[]) as shard
      on conflict (shard) do update set holder = excluded.holder, expires_at = excluded.expires_at
        where existing.holder = '' or existing.holder = $1 or existing.expires_at < ${now}
      returning shard`,
    values: [holder, at, shards],
  });
  return rows.map((row) => row.shard);
}

/**
 * Releases the given leases, or all leases of this server for `null`. Notifies the servers that may
 * acquire them.
 */
export async function releaseLeases(
  db: Database,
  { holder, now: at }: LeaseTurn,
  shards: readonly number[] | null,
): Promise<void> {
  await runSql(
    db,
    `with given as (
        update schedule_leases set holder = '', expires_at = ${now}
        where holder = $1 and ($3::smallint[] is null or shard = any ($3)) returning shard)
      select pg_notify('servers_changed', '') from given limit 1`,
    [holder, at, shards],
  );
}

export async function countHeldShards(db: Database): Promise<Map<string, number>> {
  const rows = await runSql<{ holder: string; count: number }>(
    db,
    `select holder, count(*)::int as count from schedule_leases
      where holder <> '' and expires_at >= clock_timestamp() group by holder`,
  );
  return new Map(rows.map(({ holder, count }) => [holder, count]));
}

/** A run of a check outside its schedule, started by a user, a trigger URL or a deployment. */
export interface CheckSession {
  readonly id: string;
  readonly checkId: string;
  readonly locations: readonly string[];
  readonly startedAt: Date;
}

/**
 * Stores sessions. The caller must lock the checks, because the statement fails if one is deleted.
 */
export async function insertSessions(
  db: Database,
  accountId: string,
  sessions: readonly CheckSession[],
): Promise<void> {
  await runSql(
    db,
    `insert into check_sessions (id, account_id, check_id, locations, started_at)
      select id, $1, "checkId", locations, "startedAt" from jsonb_to_recordset($2::jsonb)
        as session (id uuid, "checkId" uuid, locations text[], "startedAt" timestamptz)`,
    [accountId, JSON.stringify(sessions)],
  );
}

export async function findSession(
  db: Database,
  accountId: string,
  id: string,
): Promise<CheckSession | null> {
  const [row] = await runSql<CheckSession>(
    db,
    `select id, check_id as "checkId", locations, started_at as "startedAt" from check_sessions
      where account_id = $1 and id = $2`,
    [accountId, id],
  );
  return row ?? null;
}

export async function deleteSessionsBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from check_sessions where started_at < $1", [before]);
}

/** Subject of a trigger: one check, or all checks of a group. */
export type TriggerSubject =
  | { readonly checkId: string; readonly groupId: null }
  | { readonly checkId: null; readonly groupId: number };

export interface RunTrigger {
  readonly id: number;
  readonly accountId: string;
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly token: string;
  readonly createdAt: Date;
  readonly calledAt: Date | null;
}

const columns = `id, account_id as "accountId", check_id as "checkId", group_id as "groupId",
  token, created_at as "createdAt", called_at as "calledAt"`;
const ofSubject = "(check_id = $1::uuid or group_id = $2::integer)";

export async function findTrigger(
  db: Database,
  accountId: string,
  { checkId, groupId }: TriggerSubject,
): Promise<RunTrigger | null> {
  const text = `select ${columns} from run_triggers where ${ofSubject} and account_id = $3`;
  const [row] = await runSql<RunTrigger>(db, text, [checkId, groupId, accountId]);
  return row ?? null;
}

export async function findTriggerByToken(
  db: Database,
  { checkId, groupId }: TriggerSubject,
  token: string,
): Promise<RunTrigger | null> {
  const text = `select ${columns} from run_triggers where ${ofSubject}`;
  const [row] = await runSql<RunTrigger>(db, text, [checkId, groupId]);
  return row !== undefined && isSameSecret(row.token, token) ? row : null;
}

/** Compares secrets in constant time, so that the duration does not reveal where they differ. */
function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hashSecret(one), hashSecret(other));
}

export async function insertTrigger(
  db: Database,
  accountId: string,
  { checkId, groupId, token, at }: TriggerSubject & { readonly token: string; readonly at: Date },
): Promise<void> {
  const text = `insert into run_triggers (account_id, check_id, group_id, token, created_at)
    values ($1, $2, $3, $4, $5) on conflict do nothing`;
  await runSql(db, text, [accountId, checkId, groupId, token, at]);
}

export async function noteTriggerCall(
  db: Database,
  accountId: string,
  { id, at }: { readonly id: number; readonly at: Date },
): Promise<void> {
  const text = "update run_triggers set called_at = $3 where account_id = $1 and id = $2";
  await runSql(db, text, [accountId, id, at]);
}

export async function deleteTrigger(
  db: Database,
  accountId: string,
  { checkId, groupId }: TriggerSubject,
): Promise<boolean> {
  const text = `delete from run_triggers where ${ofSubject} and account_id = $3 returning id`;
  return (await runSql(db, text, [checkId, groupId, accountId])).length > 0;
}
