import { type Database, inTransaction, runSql } from "../../platform/database.ts";
import { isAlreadyThere, isLockTimeout } from "../../platform/database-errors.ts";
import { idFloor } from "./run-id.ts";

const dayMs = 86_400_000;

function partitionName(dayStartMs: number): string {
  return `results_${new Date(dayStartMs).toISOString().slice(0, 10).replaceAll("-", "_")}`;
}

/** Creates daily partitions from yesterday to the day after tomorrow. */
export async function ensurePartitions(db: Database, nowMs: number): Promise<void> {
  const today = Math.floor(nowMs / dayMs) * dayMs;
  for (const start of [today - dayMs, today, today + dayMs, today + 2 * dayMs]) {
    await createPartition(db, start);
  }
}

export async function createPartition(db: Database, dayStartMs: number): Promise<void> {
  const name = partitionName(dayStartMs);
  const bounds = `from ('${idFloor(dayStartMs)}') to ('${idFloor(dayStartMs + dayMs)}')`;
  const text = `create table if not exists ${name} partition of results for values ${bounds}`;
  await runSql(db, text).catch((error) => {
    // Another server may have created it concurrently.
    if (!isAlreadyThere(error)) throw error;
  });
}

async function listPartitions(db: Database): Promise<{ name: string; startMs: number }[]> {
  const rows = await runSql<{ name: string }>(
    db,
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'results'::regclass order by 1`,
  );
  return rows.flatMap(({ name }) => {
    const day = /^results_(\d{4})_(\d\d)_(\d\d)$/.exec(name);
    const startMs = day === null ? Number.NaN : Date.parse(`${day[1]}-${day[2]}-${day[3]}`);
    return Number.isNaN(startMs) ? [] : [{ name, startMs }];
  });
}

/**
 * Deletes old results by dropping partitions. The drop waits for readers such as a backup, and
 * inserts would queue behind it, so it uses a short lock timeout and is retried in the next round.
 */
export async function dropPartitionsBefore(db: Database, beforeMs: number): Promise<string[]> {
  const old = (await listPartitions(db)).filter(({ startMs }) => startMs + dayMs <= beforeMs);
  const dropped: string[] = [];
  for (const { name } of old) {
    const isDropped = await inTransaction(db, async (transaction) => {
      await runSql(transaction, "set local lock_timeout = '300ms'");
      await runSql(transaction, `drop table if exists ${name}`);
      return true;
    }).catch((error) => {
      if (isLockTimeout(error)) return false;
      throw error;
    });
    if (!isDropped) break;
    dropped.push(name);
  }
  return dropped;
}

/** Returns the earliest due time for which a partition exists. */
export async function findOldestPartition(db: Database): Promise<number> {
  const [oldest] = await listPartitions(db);
  return oldest?.startMs ?? Number.POSITIVE_INFINITY;
}

/**
 * Must be called with whole days: for those the first row is enough, while a part of a day would be
 * scanned.
 */
export async function hasResults(
  db: Database,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<boolean> {
  const rows = await runSql(db, "select 1 from results where id >= $1 and id < $2 limit 1", [
    idFloor(fromMs),
    idFloor(toMs),
  ]);
  return rows.length > 0;
}
