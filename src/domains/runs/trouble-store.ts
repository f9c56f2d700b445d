import { sql } from "kysely";
import { type Database, runPrepared } from "../../platform/database.ts";
import type { CheckStatus } from "../checks/index.ts";

/** What a check can be in trouble with; unknown is that nothing has been heard of it. */
export type TroubleStatus = Exclude<CheckStatus, "passing">;

/** A stretch of time in which a check was in trouble by its own alert rules. */
export interface CheckTrouble {
  readonly checkId: string;
  readonly status: TroubleStatus;
  readonly startedAtMs: number;
  /** Null while it goes on. */
  readonly endedAtMs: number | null;
}

/** Those that go on, by check, on the connection of the transaction that decides on them. */
export async function mapOpenTroubles(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, CheckTrouble>> {
  const rows = await runPrepared<{ checkId: string; status: TroubleStatus; startedAt: Date }>(db, {
    name: "map-open-troubles",
    text: `select check_id as "checkId", status, started_at as "startedAt" from check_troubles
      where check_id = any($1::uuid[]) and ended_at is null`,
    values: [checkIds],
  });
  return new Map(
    rows.map(({ checkId, status, startedAt }) => [
      checkId,
      { checkId, status, startedAtMs: startedAt.getTime(), endedAtMs: null },
    ]),
  );
}

export interface TroubleChange extends CheckTrouble {
  readonly id: string;
  readonly accountId: string;
}

/** Ends what was open of these checks, at the given times, and writes what came after it. */
export async function saveTroubles(
  db: Database,
  ended: readonly { readonly checkId: string; readonly atMs: number }[],
  begun: readonly TroubleChange[],
): Promise<void> {
  if (ended.length > 0) {
    await runPrepared(db, {
      name: "end-troubles",
      text: `update check_troubles
        set ended_at = greatest(started_at, to_timestamp(one.at_ms / 1000))
        from unnest($1::uuid[], $2::float8[]) as one (check_id, at_ms)
        where check_troubles.check_id = one.check_id and ended_at is null`,
      values: [ended.map(({ checkId }) => checkId), ended.map(({ atMs }) => atMs)],
    });
  }
  if (begun.length === 0) return;
  await runPrepared(db, {
    name: "begin-troubles",
    text: `insert into check_troubles (id, account_id, check_id, status, started_at, ended_at)
      select id, account_id, check_id, status, to_timestamp(from_ms / 1000),
        to_timestamp(to_ms / 1000)
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::float8[], $6::float8[])
        as one (id, account_id, check_id, status, from_ms, to_ms)`,
    values: [
      begun.map(({ id }) => id),
      begun.map(({ accountId }) => accountId),
      begun.map(({ checkId }) => checkId),
      begun.map(({ status }) => status),
      begun.map(({ startedAtMs }) => startedAtMs),
      begun.map(({ endedAtMs }) => endedAtMs),
    ],
  });
}

/** More than this of one account in one question are not looked at; the newest are. */
const maxTroubles = 20_000;

/** What of some checks overlaps a stretch of time, the latest first. */
export async function listTroubles(
  db: Database,
  accountId: string,
  query: { readonly checkIds: readonly string[]; readonly from: Date; readonly to: Date },
): Promise<CheckTrouble[]> {
  if (query.checkIds.length === 0) return [];
  const { rows } = await sql<{
    checkId: string;
    status: TroubleStatus;
    startedAt: Date;
    endedAt: Date | null;
  }>`select check_id as "checkId", status, started_at as "startedAt", ended_at as "endedAt"
    from check_troubles
    where account_id = ${accountId} and check_id = any(${[...query.checkIds]}::uuid[])
      and started_at <= ${query.to} and (ended_at is null or ended_at > ${query.from})
    order by started_at desc limit ${maxTroubles}`.execute(db);
  return rows.map(({ checkId, status, startedAt, endedAt }) => ({
    checkId,
    status,
    startedAtMs: startedAt.getTime(),
    endedAtMs: endedAt?.getTime() ?? null,
  }));
}

export async function deleteTroublesBefore(db: Database, before: Date): Promise<void> {
  await sql`delete from check_troubles where ended_at < ${before}`.execute(db);
}
