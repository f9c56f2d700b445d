import type pg from "pg";

/** Renews what is held, takes what nobody holds any more, and says what is held now. */
export async function takeLeases(
  pool: pg.Pool,
  holder: string,
  lease: { readonly now: Date; readonly expiresAt: Date },
): Promise<number[]> {
  const { rows } = await pool.query<{ shard: number }>({
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

export async function releaseLeases(pool: pg.Pool, holder: string): Promise<void> {
  await pool.query("delete from schedule_leases where holder = $1", [holder]);
}
