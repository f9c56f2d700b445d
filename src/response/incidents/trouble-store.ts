import type { Verdict } from "../../kinds/kit/verdict.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";

/** Status of a problem. "unknown" means missing data. */
export type TroubleStatus = Exclude<Verdict, "passing">;

/** A period in which a check had a problem according to its alert rules. */
export interface CheckTrouble {
  readonly checkId: string;
  readonly status: TroubleStatus;
  readonly startedAtMs: number;
  /** When the problem ended; `null` while the problem is ongoing. */
  readonly endedAtMs: number | null;
}

/** Returns the open problem of each check. Must run in the transaction that decides on alerts. */
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

/** Lists the checks of an account that are failing now, according to their alert rules. */
export async function listFailingCheckIds(db: Database, accountId: string): Promise<string[]> {
  const text = `select check_id as "checkId" from check_troubles
    where account_id = $1 and ended_at is null and status = 'failing'`;
  return (await runSql<{ checkId: string }>(db, text, [accountId])).map((row) => row.checkId);
}

export interface TroubleChange extends CheckTrouble {
  readonly id: string;
  readonly accountId: string;
}

/** Ends open problems at the given times and inserts new problems. */
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

/** Maximum number of problems that a query returns. The newest problems are returned. */
const maxTroubles = 20_000;

/** Lists the problems of the given checks that overlap a time range, newest first. */
export async function listTroubles(
  db: Database,
  accountId: string,
  query: { readonly checkIds: readonly string[]; readonly from: Date; readonly to: Date },
): Promise<CheckTrouble[]> {
  if (query.checkIds.length === 0) return [];
  const rows = await runSql<{
    checkId: string;
    status: TroubleStatus;
    startedAt: Date;
    endedAt: Date | null;
  }>(
    db,
    `select check_id as "checkId", status, started_at as "startedAt", ended_at as "endedAt"
      from check_troubles
      where account_id = $1 and check_id = any($2::uuid[])
        and started_at <= $3 and (ended_at is null or ended_at > $4)
      order by started_at desc limit $5`,
    [accountId, query.checkIds, query.to, query.from, maxTroubles],
  );
  return rows.map(({ checkId, status, startedAt, endedAt }) => ({
    checkId,
    status,
    startedAtMs: startedAt.getTime(),
    endedAtMs: endedAt?.getTime() ?? null,
  }));
}

export async function deleteTroublesBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from check_troubles where ended_at < $1", [before]);
}
