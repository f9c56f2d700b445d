import { type Database, runPrepared } from "../../platform/database.ts";
import type { Heartbeat, JobStart } from "./heartbeat.ts";

interface HeartbeatRow {
  readonly check_id: string;
  readonly expected_at: Date | null;
  readonly last_ping_at: Date | null;
  readonly last_event_at: Date | null;
  readonly changed_at: Date | null;
  readonly is_missed: boolean;
  readonly is_active: boolean;
  readonly schedule: string;
  readonly starts: readonly JobStart[] | null;
}

const columns = `check_id, expected_at, last_ping_at, last_event_at, changed_at, is_missed,
  is_active, schedule, starts`;

function toHeartbeat(row: HeartbeatRow): Heartbeat {
  return {
    expectedMs: row.expected_at?.getTime() ?? null,
    lastPingMs: row.last_ping_at?.getTime() ?? null,
    lastEventMs: row.last_event_at?.getTime() ?? null,
    changedMs: row.changed_at?.getTime() ?? null,
    isMissed: row.is_missed,
    isActive: row.is_active,
    scheduleKey: row.schedule,
    starts: row.starts ?? [],
  };
}

const toMap = (rows: readonly HeartbeatRow[]) =>
  new Map(rows.map((row) => [row.check_id, toHeartbeat(row)]));

/** Locks heartbeats in the order of check ids, so that two servers never cause a deadlock. */
export async function lockHeartbeats(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, Heartbeat>> {
  const rows = await runPrepared<HeartbeatRow>(db, {
    name: "lock-heartbeats",
    text: `select ${columns} from heartbeats where check_id = any($1::uuid[])
      order by check_id for update`,
    values: [checkIds],
  });
  return toMap(rows);
}

/**
 * Locks heartbeats that are due or whose check has changed settings. Skips heartbeats that another
 * transaction has locked.
 */
export async function claimHeartbeats(
  db: Database,
  nowMs: number,
  limit: number,
): Promise<Map<string, Heartbeat>> {
  const rows = await runPrepared<HeartbeatRow>(db, {
    name: "claim-heartbeats",
    text: `select ${columns} from heartbeats where check_id in (
        (select check_id from heartbeats where due_at <= to_timestamp($1::float8 / 1000)
          order by due_at limit $2)
        union all (select check_id from heartbeat_reviews order by id limit $2))
      order by check_id for update skip locked`,
    values: [nowMs, limit],
  });
  return toMap(rows);
}

/**
 * Deletes the recorded setting changes of the given checks. Returns an entry for each check with
 * changes. The value is true if the check or its group was deactivated after any of these changes,
 * even if both are active again.
 */
export async function takeReviews(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, boolean>> {
  const rows = await runPrepared<{ check_id: string; was_off: boolean }>(db, {
    name: "take-heartbeat-reviews",
    text: `delete from heartbeat_reviews where check_id = any($1::uuid[])
      returning check_id, was_off`,
    values: [checkIds],
  });
  const reviews = new Map<string, boolean>();
  for (const { check_id, was_off } of rows) {
    reviews.set(check_id, was_off || (reviews.get(check_id) ?? false));
  }
  return reviews;
}

/** Deletes recorded setting changes of checks that were never pinged or no longer exist. */
export async function dropIdleReviews(db: Database, limit: number): Promise<void> {
  await runPrepared(db, {
    name: "drop-idle-heartbeat-reviews",
    text: `delete from heartbeat_reviews where id in (select id from heartbeat_reviews one
      where not exists (select 1 from heartbeats where check_id = one.check_id)
      order by id limit $1 for update skip locked)`,
    values: [limit],
  });
}

export interface SavedHeartbeat {
  readonly checkId: string;
  readonly heartbeat: Heartbeat;
  readonly dueMs: number | null;
}

const time = (name: string) => `to_timestamp(${name} / 1000)`;

export async function saveHeartbeats(
  db: Database,
  saved: readonly SavedHeartbeat[],
): Promise<void> {
  if (saved.length === 0) return;
  await runPrepared(db, {
    name: "save-heartbeats",
    text: `
      insert into heartbeats (check_id, due_at, expected_at, last_ping_at, last_event_at,
        changed_at, is_missed, is_active, schedule, starts)
      select check_id, ${time("due_ms")}, ${time("expected_ms")}, ${time("last_ping_ms")},
        ${time("last_event_ms")}, ${time("changed_ms")}, is_missed, is_active, schedule,
        starts::jsonb
      from unnest($1::uuid[], $2::float8[], $3::float8[], $4::float8[], $5::float8[],
        $6::float8[], $7::boolean[], $8::boolean[], $9::text[], $10::text[])
        as one (check_id, due_ms, expected_ms, last_ping_ms, last_event_ms, changed_ms,
          is_missed, is_active, schedule, starts)
      order by check_id
      on conflict (check_id) do update set due_at = excluded.due_at,
        expected_at = excluded.expected_at, last_ping_at = excluded.last_ping_at,
        last_event_at = excluded.last_event_at, changed_at = excluded.changed_at,
        is_missed = excluded.is_missed, is_active = excluded.is_active,
        schedule = excluded.schedule, starts = excluded.starts`,
    values: [
      saved.map(({ checkId }) => checkId),
      saved.map(({ dueMs }) => dueMs),
      saved.map(({ heartbeat }) => heartbeat.expectedMs),
      saved.map(({ heartbeat }) => heartbeat.lastPingMs),
      saved.map(({ heartbeat }) => heartbeat.lastEventMs),
      saved.map(({ heartbeat }) => heartbeat.changedMs),
      saved.map(({ heartbeat }) => heartbeat.isMissed),
      saved.map(({ heartbeat }) => heartbeat.isActive),
      saved.map(({ heartbeat }) => heartbeat.scheduleKey),
      saved.map(({ heartbeat: { starts } }) =>
        starts.length === 0 ? null : JSON.stringify(starts),
      ),
    ],
  });
}

/**
 * Inserts the heartbeats of checks that were never pinged. Keeps a heartbeat that another server
 * has inserted in the meantime.
 */
export async function addHeartbeats(
  db: Database,
  fresh: ReadonlyMap<string, Heartbeat>,
): Promise<void> {
  const list = [...fresh];
  await runPrepared(db, {
    name: "add-heartbeats",
    text: `insert into heartbeats (check_id, is_missed, is_active, schedule)
      select check_id, false, is_active, schedule
      from unnest($1::uuid[], $2::boolean[], $3::text[]) as one (check_id, is_active, schedule)
      order by check_id on conflict do nothing`,
    values: [
      list.map(([checkId]) => checkId),
      list.map(([, { isActive }]) => isActive),
      list.map(([, { scheduleKey }]) => scheduleKey),
    ],
  });
}

interface ServiceTimes {
  /** Time at which a server last recorded that it accepts pings. */
  readonly aliveMs: number;
  /** End of the latest outage of the ping service. */
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

/**
 * Records that this server accepts pings, and returns whether a heartbeat must be evaluated now. If
 * no ping and no end of a job is expected and no settings have changed, records nothing and returns
 * `null`.
 */
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
