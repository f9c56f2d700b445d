import { type Database, inTransaction, runSql } from "../../platform/database.ts";
import { isAlreadyThere, isLockTimeout } from "../../platform/database-errors.ts";
import { idFloor } from "./run-id.ts";

const dayMs = 86_400_000;

function partitionName(dayStartMs: number): string {
  return `results_${new Date(dayStartMs).toISOString().slice(0, 10).replaceAll("-", "_")}`;
}

/** A day each, from yesterday to the day after tomorrow. */
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
    // Another server made it between our look and our creating it.
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
 * Retention is dropping a table: no row is touched. The drop waits for whoever reads the day, such
 * as a backup, and new results would wait behind it: so it gives way soon, and the next turn tries
 * again.
 */
export async function dropPartitionsBefore(db: Database, momentMs: number): Promise<string[]> {
  const old = (await listPartitions(db)).filter(({ startMs }) => startMs + dayMs <= momentMs);
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

/** The earliest moment a result may have been due to find a place. */
export async function findOldestPartition(db: Database): Promise<number> {
  const [oldest] = await listPartitions(db);
  return oldest?.startMs ?? Number.POSITIVE_INFINITY;
}

/** For whole days: the first row found answers, while a part of one would be searched through. */
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
