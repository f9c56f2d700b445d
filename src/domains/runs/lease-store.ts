import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { shardCount } from "./run-id.ts";

/** Whoever looks away for this long has lost its shards. */
export const leaseMs = 8_000;

export interface LeaseTurn {
  readonly holder: string;
  /** Null: the clock of the database, so that those of servers need not agree. */
  readonly now: Date | null;
}

export interface LeaseRow {
  readonly shard: number;
  /** Empty: given back. */
  readonly holder: string;
  /** It was this server's and still is. */
  readonly isRenewed: boolean;
  /** How long ago the lease ran out, before it was renewed by this turn; negative: not yet. */
  readonly expiredForMs: number;
}

const now = "coalesce($2::timestamptz, clock_timestamp())";
const expiry = `${now} + ${leaseMs} * interval '1 ms'`;

/** Renews what is held, and reads who held what before that. What nobody ever held has no row. */
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

/** Takes those that nobody holds any more; somebody else may have been quicker. */
export async function takeLeases(
  db: Database,
  { holder, now: at }: LeaseTurn,
  shards: readonly number[],
): Promise<number[]> {
  const rows = await runPrepared<{ shard: number }>(db, {
    name: "take-leases",
    text: `insert into schedule_leases as known (shard, holder, expires_at)
      select shard, $1, ${expiry} from unnest($3::smallint[]) as shard
      on conflict (shard) do update set holder = excluded.holder, expires_at = excluded.expires_at
        where known.holder = '' or known.holder = $1 or known.expires_at < ${now}
      returning shard`,
    values: [holder, at, shards],
  });
  return rows.map((row) => row.shard);
}

/** Gives some back, or all; the other servers are told, and take them at once. */
export async function giveBackLeases(
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

/** How many shards each server holds. */
export async function countHeldShards(db: Database): Promise<Map<string, number>> {
  const rows = await runSql<{ holder: string; count: number }>(
    db,
    `select holder, count(*)::int as count from schedule_leases
      where holder <> '' and expires_at >= clock_timestamp() group by holder`,
  );
  return new Map(rows.map(({ holder, count }) => [holder, count]));
}
