import type { Order } from "../../contract/order.ts";
import type { Result } from "../../contract/result.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { shardCount } from "./shard-plan.ts";

/** Runs in the transaction that records the failed attempt, so that a crash loses no retry. */
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

/**
 * Returns when each retry was to start, by run id. Needs no query if there are only first attempts.
 */
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

/** A server that does not renew its leases for this long loses its shards. */
export const leaseMs = 8_000;

export interface LeaseTurn {
  readonly holder: string;
  /** `null` to use the database clock, so that clocks of servers need not agree. */
  readonly now: Date | null;
}

export interface LeaseRow {
  readonly shard: number;
  /** Empty if the lease was released. */
  readonly holder: string;
  /** Whether the lease belonged to this server and was renewed. */
  readonly isRenewed: boolean;
  /** How long ago the lease expired, before it was renewed by this call; negative if it has not. */
  readonly expiredForMs: number;
}

const now = "coalesce($2::timestamptz, clock_timestamp())";
const expiry = `${now} + ${leaseMs} * interval '1 ms'`;

/**
 * Renews the leases of this server and returns the previous holders. A shard that was never held
 * has no row.
 */
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

/** Acquires expired or released leases; another server may have acquired them first. */
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

/** Releases some or all leases and notifies the other servers, which acquire them immediately. */
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

/** Counts the shards that each server holds. */
export async function countHeldShards(db: Database): Promise<Map<string, number>> {
  const rows = await runSql<{ holder: string; count: number }>(
    db,
    `select holder, count(*)::int as count from schedule_leases
      where holder <> '' and expires_at >= clock_timestamp() group by holder`,
  );
  return new Map(rows.map(({ holder, count }) => [holder, count]));
}
