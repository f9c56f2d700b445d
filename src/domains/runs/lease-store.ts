import { type Database, runPrepared, runSql } from "../../platform/database.ts";

/** Renews what is held, takes what nobody holds any more, and says what is held now. */
export async function takeLeases(
  db: Database,
  holder: string,
  lease: { readonly now: Date; readonly expiresAt: Date },
): Promise<number[]> {
  const rows = await runPrepared<{ shard: number }>(db, {
    name: "take-leases",
    text: `insert into schedule_leases as known (shard, holder, expires_at)
      select shard, $1, $3 from generate_series(0, 63) as shard
      on conflict (shard) do update set holder = excluded.holder, expires_at = excluded.expires_at
        where known.holder = excluded.holder or known.expires_at < $2
      returning shard`,
    values: [holder, lease.now, lease.expiresAt],
  });
  return rows.map((row) => row.shard);
}

export async function releaseLeases(db: Database, holder: string): Promise<void> {
  await runSql(db, "delete from schedule_leases where holder = $1", [holder]);
}
