import { type Database, runPrepared } from "../../platform/database.ts";

export interface ServiceTimes {
  /** When a server last reported that it accepts pings. */
  readonly aliveMs: number;
  /** End of the latest outage. */
  readonly resumedMs: number;
}

interface ServiceRow {
  readonly alive_at: Date;
  readonly resumed_at: Date;
}

const toTimes = ({ alive_at, resumed_at }: ServiceRow): ServiceTimes => ({
  aliveMs: alive_at.getTime(),
  resumedMs: resumed_at.getTime(),
});

export async function readServiceTimes(db: Database): Promise<ServiceTimes> {
  const [row] = await runPrepared<ServiceRow>(db, {
    name: "read-ping-service",
    text: "select alive_at, resumed_at from ping_service",
    values: [],
  });
  return row === undefined ? { aliveMs: 0, resumedMs: 0 } : toTimes(row);
}

/** Records that this server accepts pings; returns `null` if no pings are expected. */
export async function markAlive(
  db: Database,
  nowMs: number,
  maxGapMs: number,
): Promise<{ readonly hasWork: boolean } | null> {
  const [row] = await runPrepared<{ has_work: boolean }>(db, {
    name: "mark-ping-service-alive",
    text: `update ping_service set alive_at = greatest(alive_at, to_timestamp($1::float8 / 1000)),
        resumed_at = case when alive_at < to_timestamp(($1::float8 - $2::float8) / 1000)
          then to_timestamp($1::float8 / 1000) else resumed_at end
      where exists (select 1 from heartbeats where due_at is not null)
        or exists (select 1 from heartbeat_reviews)
      returning exists (select 1 from heartbeats where due_at <= to_timestamp($1::float8 / 1000))
        or exists (select 1 from heartbeat_reviews) as has_work`,
    values: [nowMs, maxGapMs],
  });
  return row === undefined ? null : { hasWork: row.has_work };
}

export async function readDatabaseMs(db: Database): Promise<number> {
  const [row] = await runPrepared<{ ms: number }>(db, {
    name: "read-database-time",
    text: "select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
    values: [],
  });
  if (row === undefined) throw new Error("the database returned no time");
  return row.ms;
}
