import type { Verdict } from "../../kinds/kit/verdict.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { isNotQuarantined } from "../../platform/quarantine.ts";
import type { FinalResult } from "../results/index.ts";
import type { CheckState } from "../states/index.ts";

export interface CheckHour {
  readonly checkId: string;
  readonly hourMs: number;
}

/** Marks the hours of late results, so that these hours are rolled up again. */
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

/** Work name under which an hour is quarantined if rolling it up fails. */
export const rollupWork = "roll statistics up";

export function nameCheckHour({ checkId, hourMs }: CheckHour): string {
  return `${checkId} ${new Date(hourMs).toISOString().slice(0, 13)}:00Z`;
}

/** Deletes the mark of an hour whose roll-up has failed for a day. */
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
 * Deletes marks of late hours. Must run in the transaction that rolls up these hours. A recorder
 * does not add a mark if the hour is already marked, so the roll-up must include the results of
 * this recorder. The table lock therefore waits until recorders that are adding marks have
 * committed. Later recorders wait for the lock and then mark the hour again.
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

/**
 * A final run that may cause an alert, so that alerting must evaluate it. Most runs are not
 * notable.
 */
export interface NotableRun extends FinalResult {
  /**
   * Due time of the previous run, at which alerting restarts its timer for missing data. `null` if
   * the check had no data before this run (unknown status), or if this run is late.
   */
  readonly lastResultAtMs: number | null;
  /** Whether alerting may have evaluated later runs of the check before this run. */
  readonly isLate: boolean;
}

/** Conditions besides the verdict that make a run notable. */
export interface Notice {
  /** Whether alerting uses the share of failing locations, so that every run is notable. */
  readonly isShareCounted: boolean;
  readonly frequencyMinutes: number;
  readonly nowMs: number;
}

/** Minimum time without data, in addition to the interval of the check, until a no-data alert. */
const shortestSilenceMinutes = 2;

/** Returns the notable run; `null` if the run cannot cause an alert, like most passing runs. */
export function findNotableRun(
  previous: CheckState | null,
  final: FinalResult,
  notice: Notice,
): NotableRun | null {
  const wasPassing = previous === null || previous.status === "passing";
  const isExpected = final.verdict === "passing" && wasPassing && !endsSilence(previous, notice);
  if (isExpected && !notice.isShareCounted) return null;
  const hadVerdict = previous !== null && previous.status !== "unknown";
  return { ...final, lastResultAtMs: hadVerdict ? previous.lastRunAtMs : null, isLate: false };
}

/** Whether a no-data alert may have been sent since the last run. */
function endsSilence(previous: CheckState | null, notice: Notice): boolean {
  const { nowMs, frequencyMinutes } = notice;
  const silenceMs = (shortestSilenceMinutes + frequencyMinutes) * 60_000;
  return previous !== null && nowMs - previous.lastRunAtMs >= silenceMs;
}

interface NotableRow extends NotableRun {
  readonly checkId: string;
  readonly accountId: string;
}

/**
 * Stores notable runs. Must run in the transaction that stores the results, so that a crash loses
 * none.
 */
export async function insertNotableRuns(
  db: Database,
  runs: readonly NotableRow[],
  at: Date,
): Promise<void> {
  if (runs.length === 0) return;
  await runPrepared(db, {
    name: "insert-notable-runs",
    text: `insert into notable_runs (account_id, check_id, result_id, location, verdict, due_at,
        heard_at, is_late, recorded_at)
      select account_id, check_id, result_id, location, verdict, to_timestamp(due_ms / 1000),
        to_timestamp(last_result_ms / 1000), is_late, $8
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::float8[],
        $7::float8[], $9::boolean[]) as one (account_id, check_id, result_id, location, verdict,
        due_ms, last_result_ms, is_late)`,
    values: [
      runs.map((run) => run.accountId),
      runs.map((run) => run.checkId),
      runs.map((run) => run.resultId),
      runs.map((run) => run.location),
      runs.map((run) => run.verdict),
      runs.map((run) => run.dueAtMs),
      runs.map((run) => run.lastResultAtMs),
      at,
      runs.map((run) => run.isLate),
    ],
  });
}

/** A notable run that waits for its evaluation by alerting. */
export interface QueuedRun {
  readonly id: number;
  readonly accountId: string;
  readonly checkId: string;
  readonly resultId: string;
  readonly location: string;
  readonly verdict: Verdict;
  readonly dueAt: Date;
  /**
   * Due time of the previous run, at which alerting restarts its timer for missing data. `null` if
   * the check had no data before this run (unknown status), or if this run is late.
   */
  readonly lastResultAt: Date | null;
  readonly recordedAt: Date;
  /** Whether alerting may have evaluated later runs of the check before this run. */
  readonly isLate: boolean;
}

/** Work name under which a check is quarantined if alerting cannot evaluate its runs. */
export const notableRunWork = "decide on runs";

const isDue = isNotQuarantined({ work: "$1", key: "check_id::text", now: "$2" });

/** Lists queued runs, oldest first. If `checkId` is `null`, quarantined checks are excluded. */
export function listQueuedRuns(
  db: Database,
  query: { readonly limit: number; readonly now: Date; readonly checkId: string | null },
): Promise<QueuedRun[]> {
  return runPrepared<QueuedRun>(db, {
    name: "list-notable-runs",
    text: `select id, account_id as "accountId", check_id as "checkId", result_id as "resultId",
      location, verdict, due_at as "dueAt", heard_at as "lastResultAt", recorded_at as "recordedAt",
      is_late as "isLate"
      from notable_runs where case when $4::uuid is null then ${isDue} else check_id = $4 end
      order by id limit $3`,
    values: [notableRunWork, query.now, query.limit, query.checkId],
  });
}

/** Lists the unquarantined checks with queued runs, the check with the oldest run first. */
export async function listQueuedCheckIds(
  db: Database,
  query: { readonly limit: number; readonly now: Date },
): Promise<string[]> {
  const rows = await runSql<{ checkId: string }>(
    db,
    `select check_id as "checkId" from notable_runs where ${isDue}
      group by check_id order by min(id) limit $3`,
    [notableRunWork, query.now, query.limit],
  );
  return rows.map(({ checkId }) => checkId);
}

/** Returns the given checks that have queued runs. */
export async function listChecksWithQueuedRuns(
  db: Database,
  checkIds: readonly string[],
): Promise<Set<string>> {
  if (checkIds.length === 0) return new Set();
  const rows = await runSql<{ checkId: string }>(
    db,
    `select distinct check_id as "checkId" from notable_runs where check_id = any($1::uuid[])`,
    [checkIds],
  );
  return new Set(rows.map(({ checkId }) => checkId));
}

export async function deleteQueuedRuns(db: Database, ids: readonly number[]): Promise<void> {
  await runSql(db, "delete from notable_runs where id = any($1::bigint[])", [ids]);
}

export async function deleteQueuedRunsOf(db: Database, checkId: string): Promise<void> {
  await runSql(db, "delete from notable_runs where check_id = $1", [checkId]);
}
