import type { Order } from "../../contract/order.ts";
import type { Result } from "../../contract/result.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";

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
