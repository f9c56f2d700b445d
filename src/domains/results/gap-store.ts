import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { idFloor } from "./run-id.ts";

/** Runs that were due between two recorded runs. Their results may still arrive. */
export interface RunGap {
  /** `null` for any location, if locations take turns. */
  readonly location: string | null;
  /**
   * Due times of the runs before and after the gap, exclusive. Without an earlier run, `afterMs` is
   * the time since which runs are due.
   */
  readonly afterMs: number;
  readonly beforeMs: number;
  readonly dueCount: number;
}

export async function insertGaps(
  db: Database,
  gaps: readonly (RunGap & { readonly checkId: string })[],
): Promise<void> {
  if (gaps.length === 0) return;
  await runPrepared(db, {
    name: "insert-run-gaps",
    text: `insert into run_gaps (check_id, location, after_at, before_at, due_count)
      select check_id, location, to_timestamp(after_ms / 1000), to_timestamp(before_ms / 1000),
        due_count
      from unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[], $5::int[])
        as one (check_id, location, after_ms, before_ms, due_count) on conflict do nothing`,
    values: [
      gaps.map(({ checkId }) => checkId),
      gaps.map(({ location }) => location ?? ""),
      gaps.map(({ afterMs }) => afterMs),
      gaps.map(({ beforeMs }) => beforeMs),
      gaps.map(({ dueCount }) => dueCount),
    ],
  });
}

/** Runs of a check that were due but never recorded. */
export interface MissedRuns {
  /** The last run before the gap and the first one after it. */
  readonly from: Date;
  readonly to: Date;
  /** `null` if the gap applies to any location of the check. */
  readonly location: string | null;
  readonly count: number;
}

interface GapRow {
  readonly after_at: Date;
  readonly before_at: Date;
  readonly location: string;
  readonly due_count: number;
}

/** Lists gaps, newest first. A gap whose results have all arrived is omitted. */
export async function listMissedRuns(
  db: Database,
  checkId: string,
  query: { readonly from: Date; readonly to: Date; readonly limit: number },
): Promise<MissedRuns[]> {
  const gaps = await runPrepared<GapRow>(db, {
    name: "list-run-gaps",
    text: `select after_at, before_at, location, due_count from run_gaps
      where check_id = $1 and before_at > $2 and after_at < $3
      order by before_at desc, location limit $4`,
    values: [checkId, query.from, query.to, query.limit],
  });
  if (gaps.length === 0) return [];
  const came = await countResultsIn(db, checkId, gaps);
  return gaps
    .map(({ after_at: from, before_at: to, location, due_count: due }, place) => ({
      from,
      to,
      location: location === "" ? null : location,
      count: due - (came[place] ?? 0),
    }))
    .filter(({ count }) => count > 0);
}

/** Counts the recorded runs of each gap, in order. A run is counted by its first attempt. */
async function countResultsIn(
  db: Database,
  checkId: string,
  gaps: readonly GapRow[],
): Promise<number[]> {
  const rows = await runPrepared<{ count: number }>(db, {
    name: "count-results-in-gaps",
    text: `select (select count(*)::int from results
        where check_id = $1 and id >= first_id and id < end_id and attempt = 1
          and (gap.location = '' or results.location = gap.location)) as count
      from unnest($2::uuid[], $3::uuid[], $4::text[]) with ordinality
        as gap (first_id, end_id, location, place) order by place`,
    values: [
      checkId,
      gaps.map(({ after_at: after }) => idFloor(after.getTime() + 1)),
      gaps.map(({ before_at: before }) => idFloor(before.getTime())),
      gaps.map(({ location }) => location),
    ],
  });
  return rows.map(({ count }) => count);
}

export async function deleteGapsBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from run_gaps where before_at < $1", [before]);
}
