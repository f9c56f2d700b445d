import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { isNotQuarantined } from "../../platform/quarantine.ts";

export interface CheckHour {
  readonly checkId: string;
  readonly hourMs: number;
}

/** Marks the hours of late results to be rolled up again. */
export async function markLateHours(
  db: Database,
  late: readonly { readonly checkId: string; readonly hourMs: number }[],
): Promise<void> {
  if (late.length === 0) return;
  await runPrepared(db, {
    name: "mark-late-hours",
    text: `insert into late_hours (check_id, hour)
      select distinct check_id, to_timestamp(hour_ms / 1000)
      from unnest($1::uuid[], $2::float8[]) as one (check_id, hour_ms) on conflict do nothing`,
    values: [late.map((one) => one.checkId), late.map((one) => one.hourMs)],
  });
}

/** Work name used when a late hour of a check fails and is quarantined. */
export const rollupWork = "roll statistics up";

export function nameCheckHour({ checkId, hourMs }: CheckHour): string {
  return `${checkId} ${new Date(hourMs).toISOString().slice(0, 13)}:00Z`;
}

/** Deletes the mark of an hour that could not be rolled up for a day. */
export async function deleteLateHour(db: Database, { checkId, hourMs }: CheckHour): Promise<void> {
  await runSql(
    db,
    "delete from late_hours where check_id = $1 and hour = to_timestamp($2::float8 / 1000)",
    [checkId, hourMs],
  );
}

const isHourWorkable = isNotQuarantined({
  work: "$1",
  key: `check_id || ' ' || to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00"Z"')`,
  now: "$2",
});

export async function listLateHours(db: Database, now: Date, limit: number): Promise<CheckHour[]> {
  const rows = await runSql<{ check_id: string; ms: number }>(
    db,
    `select check_id, extract(epoch from hour)::float8 * 1000 as ms from late_hours
      where ${isHourWorkable} order by hour, check_id limit $3`,
    [rollupWork, now, limit],
  );
  return rows.map(({ check_id, ms }) => ({ checkId: check_id, hourMs: ms }));
}

/**
 * Removes marks; must run in the transaction that rolls up the hours. A recorder does not mark an
 * hour that is already marked, so the table lock waits for recorders in progress: their results are
 * then visible, and later recorders mark the hour again.
 */
export async function takeLateHours(db: Database, hours: readonly CheckHour[]): Promise<void> {
  await runSql(db, "lock table late_hours in share row exclusive mode");
  await runSql(
    db,
    `delete from late_hours where (check_id, hour) in (
      select check_id, to_timestamp(hour_ms / 1000)
      from unnest($1::uuid[], $2::float8[]) as one (check_id, hour_ms))`,
    [hours.map(({ checkId }) => checkId), hours.map((hour) => hour.hourMs)],
  );
}
