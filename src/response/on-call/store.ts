import { type Database, runSql } from "../../platform/database.ts";
import type { Schedule } from "./schedule.ts";

const columns = `id, name, time_zone as "timeZone", layers, warns_about_gaps as "warnsAboutGaps",
  created_at as "createdAt", updated_at as "updatedAt"`;

/** Inserts a schedule. Returns false if another schedule has the same name. */
export async function insertSchedule(
  db: Database,
  accountId: string,
  schedule: Omit<Schedule, "updatedAt">,
): Promise<boolean> {
  const rows = await runSql(
    db,
    `insert into on_call_schedules (id, account_id, name, time_zone, layers, warns_about_gaps,
        created_at)
      values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning 1`,
    [
      schedule.id,
      accountId,
      schedule.name,
      schedule.timeZone,
      JSON.stringify(schedule.layers),
      schedule.warnsAboutGaps,
      schedule.createdAt,
    ],
  );
  return rows.length > 0;
}

/** Maximum number of stored earlier versions per schedule. The oldest ones are deleted. */
const maxVersions = 200;

/**
 * Stores the current settings of a schedule as a version, before a change replaces these settings.
 * Stores nothing if the change affects neither the layers nor the time zone. If the clock of the
 * server that stored the previous version is ahead, the version ends when that one did, so that the
 * times of versions never decrease.
 */
async function storeVersion(
  db: Database,
  accountId: string,
  { id, timeZone, layers, updatedAt }: Schedule,
): Promise<void> {
  const stored = await runSql(
    db,
    `insert into on_call_schedule_versions (account_id, schedule_id, ended_at, time_zone, layers)
      select account_id, id, greatest($3, (select max(ended_at) from on_call_schedule_versions
          where schedule_id = $2)), time_zone, layers
      from on_call_schedules
      where account_id = $1 and id = $2 and (time_zone, layers) is distinct from ($4, $5::jsonb)
      on conflict do nothing returning 1`,
    [accountId, id, updatedAt, timeZone, JSON.stringify(layers)],
  );
  if (stored.length === 0) return;
  await runSql(
    db,
    `delete from on_call_schedule_versions where account_id = $1 and schedule_id = $2
      and ended_at <= (select ended_at from on_call_schedule_versions where schedule_id = $2
        order by ended_at desc offset $3 limit 1)`,
    [accountId, id, maxVersions],
  );
}

/** Earlier settings of a schedule, which applied until `endedAt`. */
export interface ScheduleVersion extends Pick<Schedule, "timeZone" | "layers"> {
  readonly scheduleId: string;
  readonly endedAt: Date;
}

/** Lists the versions of the given schedules that ended after the given time, oldest first. */
export function listVersionsSince(
  db: Database,
  accountId: string,
  { scheduleIds, from }: { readonly scheduleIds: readonly string[]; readonly from: Date },
): Promise<ScheduleVersion[]> {
  return runSql(
    db,
    `select schedule_id as "scheduleId", ended_at as "endedAt", time_zone as "timeZone", layers
      from on_call_schedule_versions where account_id = $1 and schedule_id = any($2::uuid[])
        and ended_at > $3 order by ended_at`,
    [accountId, scheduleIds, from],
  );
}

export async function updateSchedule(
  db: Database,
  accountId: string,
  schedule: Schedule,
): Promise<void> {
  await storeVersion(db, accountId, schedule);
  await runSql(
    db,
    `update on_call_schedules set name = $3, time_zone = $4, layers = $5, warns_about_gaps = $6,
        updated_at = $7
      where account_id = $1 and id = $2`,
    [
      accountId,
      schedule.id,
      schedule.name,
      schedule.timeZone,
      JSON.stringify(schedule.layers),
      schedule.warnsAboutGaps,
      schedule.updatedAt,
    ],
  );
}

export async function isNameTaken(
  db: Database,
  accountId: string,
  { name, exceptId }: { readonly name: string; readonly exceptId: string },
): Promise<boolean> {
  const text = "select 1 from on_call_schedules where account_id = $1 and name = $2 and id <> $3";
  return (await runSql(db, text, [accountId, name, exceptId])).length > 0;
}

export async function findSchedule(
  db: Database,
  accountId: string,
  id: string,
): Promise<Schedule | null> {
  const text = `select ${columns} from on_call_schedules where account_id = $1 and id = $2`;
  const [row] = await runSql<Schedule>(db, text, [accountId, id]);
  return row ?? null;
}

/** Locks a schedule, so that concurrent changes are processed one after the other. */
export async function lockSchedule(
  db: Database,
  accountId: string,
  id: string,
): Promise<Schedule | null> {
  const text = `select ${columns} from on_call_schedules where account_id = $1 and id = $2
    for update`;
  const [row] = await runSql<Schedule>(db, text, [accountId, id]);
  return row ?? null;
}

export function listSchedules(
  db: Database,
  accountId: string,
  { limit, nextId }: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<Schedule[]> {
  return runSql(
    db,
    `select ${columns} from on_call_schedules
      where account_id = $1 and ($2::uuid is null or id >= $2) order by id limit $3`,
    [accountId, nextId, limit],
  );
}

/** Lists all schedules of an account, ordered by name. There are at most `maxSchedules`. */
export function listEverySchedule(db: Database, accountId: string): Promise<Schedule[]> {
  const text = `select ${columns} from on_call_schedules where account_id = $1 order by name, id`;
  return runSql(db, text, [accountId]);
}

export async function countSchedules(db: Database, accountId: string): Promise<number> {
  const text = "select count(*)::int as count from on_call_schedules where account_id = $1";
  const [row] = await runSql<{ count: number }>(db, text, [accountId]);
  return row?.count ?? 0;
}

export async function deleteSchedule(db: Database, accountId: string, id: string): Promise<void> {
  const text = "delete from on_call_schedules where account_id = $1 and id = $2";
  await runSql(db, text, [accountId, id]);
}

/** A current or former member that a schedule names. */
export interface Person {
  readonly userId: string;
  readonly name: string;
  /** When the person left the account; `null` for a member. */
  readonly leftAt: Date | null;
}

/** Lists the members and former members that have one of the user ids. */
export function listPeople(
  db: Database,
  accountId: string,
  userIds: readonly string[],
): Promise<Person[]> {
  if (userIds.length === 0) return Promise.resolve([]);
  return runSql(
    db,
    `select user_id as "userId", coalesce(nullif(name, ''), email) as name, null as "leftAt"
      from account_members where account_id = $1 and user_id = any($2::uuid[])
      union all
      select user_id, name, left_at
      from departed_members where account_id = $1 and user_id = any($2::uuid[])`,
    [accountId, userIds],
  );
}

/** Maps the lower-case email addresses of members to their user ids. */
export async function mapMemberIds(db: Database, accountId: string): Promise<Map<string, string>> {
  const text = `select lower(email) as email, user_id as "userId" from account_members
    where account_id = $1`;
  const rows = await runSql<{ email: string; userId: string }>(db, text, [accountId]);
  return new Map(rows.map(({ email, userId }) => [email, userId]));
}

/** Lists all accounts that have schedules, oldest first. */
export async function listWatchedAccounts(db: Database): Promise<string[]> {
  const text = "select distinct account_id as id from on_call_schedules order by id";
  const rows = await runSql<{ id: string }>(db, text);
  return rows.map(({ id }) => id);
}
