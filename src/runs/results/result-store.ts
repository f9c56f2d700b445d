import type { Run } from "../../kinds/kit/definition.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import type { Reason, Verdict } from "../../kinds/kit/verdict.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { idFloor, readDueAtMs } from "./run-id.ts";

export const verdictCodes: Readonly<Record<Verdict, number>> = {
  unknown: 0,
  passing: 1,
  degraded: 2,
  failing: 3,
};
export const verdictNames = ["unknown", "passing", "degraded", "failing"] as const;

export interface ResultRow {
  readonly id: string;
  readonly check_id: string;
  readonly location: string;
  readonly probe_id: string;
  readonly attempt: number;
  readonly is_final: boolean;
  readonly verdict: number;
  readonly started_at: Date;
  readonly duration_us: number;
  readonly response_ms: number | null;
  readonly trouble: Record<string, unknown> | null;
  readonly reasons: readonly Reason[] | null;
  /** Request and measurement, as encoded by the kind of the check. */
  readonly detail: Buffer;
}

const columns = `id, check_id, location, probe_id, attempt, is_final, verdict, started_at,
  duration_us, response_ms, trouble, reasons, detail`;

export function readStoppedAt({ started_at, duration_us }: ResultRow): Date {
  return new Date(started_at.getTime() + duration_us / 1_000);
}

/** Decodes the request and the outcome of a run from its stored result. */
export function readRun(kind: Pick<Kind, "decode">, row: ResultRow): Run {
  const { detail, started_at, trouble } = row;
  return kind.decode(detail, { startedAtMs: started_at.getTime(), trouble });
}

export interface ResultQuery {
  readonly limit: number;
  /** Number of newest results to skip. */
  readonly offset?: number | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  /** Id of the first result on the page. Ids sort by due time. */
  readonly nextId?: string | undefined;
  readonly location?: string | undefined;
  readonly hasFailures?: boolean | undefined;
  readonly resultType: "FINAL" | "ATTEMPT" | "ALL";
  readonly verdict?: Verdict | undefined;
}

/**
 * Lists results, newest first. A range of ids limits the query to the partitions of the requested
 * days.
 */
export async function listResults(
  db: Database,
  checkId: string,
  query: ResultQuery,
): Promise<ResultRow[]> {
  return runPrepared<ResultRow>(db, {
    name: "list-results",
    text: `select ${columns} from readable_results
      where check_id = $1 and id >= $2 and id < $3 and ($4::uuid is null or id <= $4)
        and ($5::text is null or location = $5)
        and ($6::boolean is null or (verdict = 3) = $6)
        and ($7::boolean is null or is_final = $7) and ($9::smallint is null or verdict = $9)
      order by id desc limit $8 offset $10`,
    values: [
      checkId,
      idFloor(query.fromMs),
      idFloor(query.toMs),
      query.nextId ?? null,
      query.location ?? null,
      query.hasFailures ?? null,
      query.resultType === "ALL" ? null : query.resultType === "FINAL",
      query.limit,
      query.verdict === undefined ? null : verdictCodes[query.verdict],
      query.offset ?? 0,
    ],
  });
}

export async function findResult(
  db: Database,
  checkId: string,
  id: string,
): Promise<ResultRow | null> {
  const rows = await runPrepared<ResultRow>(db, {
    name: "find-result",
    text: `select ${columns} from readable_results where check_id = $1 and id = $2`,
    values: [checkId, id],
  });
  return rows[0] ?? null;
}

/** Lists all attempts of the runs of a check that were due at the given times, in order. */
export async function listAttempts(
  db: Database,
  checkId: string,
  dueAtMs: readonly number[],
): Promise<ResultRow[]> {
  if (dueAtMs.length === 0) return [];
  const floors = dueAtMs.map((ms) => idFloor(ms));
  const ceilings = dueAtMs.map((ms) => idFloor(ms + 1));
  return runSql<ResultRow>(
    db,
    `select ${columns} from unnest($2::uuid[], $3::uuid[]) as due (first, after)
      join readable_results on check_id = $1 and id >= due.first and id < due.after
      order by due.first, attempt, id limit 500`,
    [checkId, floors, ceilings],
  );
}

/** Finds the newest final run of a check by verdict and range of due times. */
export async function findNewestFinal(
  db: Database,
  checkId: string,
  span: { readonly fromMs: number; readonly toMs: number; readonly verdict: Verdict },
): Promise<ResultRow | null> {
  const query = { ...span, limit: 1, resultType: "FINAL" } as const;
  const [newest] = await listResults(db, checkId, query);
  return newest ?? null;
}

/** Finds results by check id and result id, newest first. */
export async function findNamedResults(
  db: Database,
  named: readonly { readonly checkId: string; readonly resultId: string }[],
): Promise<ResultRow[]> {
  if (named.length === 0) return [];
  return runSql<ResultRow>(
    db,
    `select ${columns} from unnest($1::uuid[], $2::uuid[]) as named (check_id, id)
      join readable_results using (check_id, id) order by id desc`,
    [named.map(({ checkId }) => checkId), named.map(({ resultId }) => resultId)],
  );
}

/** Last attempt of a run, without its measurement. */
export interface FinalResult {
  readonly resultId: string;
  readonly location: string;
  readonly verdict: Verdict;
  readonly dueAtMs: number;
}

/**
 * Lists final results, oldest first. A range of ids limits the query to the partitions of the
 * requested days.
 */
export async function listFinalResults(
  db: Database,
  checkId: string,
  span: { readonly fromMs: number; readonly toMs: number; readonly limit: number },
): Promise<FinalResult[]> {
  const rows = await runPrepared<{ id: string; location: string; verdict: number }>(db, {
    name: "list-past-runs",
    text: `select id, location, verdict from results
      where check_id = $1 and id >= $2 and id < $3 and is_final order by id limit $4`,
    values: [checkId, idFloor(span.fromMs), idFloor(span.toMs), span.limit],
  });
  return rows.map(({ id, location, verdict }) => ({
    resultId: id,
    location,
    verdict: verdictNames[verdict] ?? "unknown",
    dueAtMs: readDueAtMs(id),
  }));
}

interface SlotRow {
  /** Position of the check in the requested list, counted from 1. */
  readonly place: number;
  readonly slot: number;
  /** Code of the worst verdict: 0 unknown, 1 passing, 2 degraded, 3 failing. */
  readonly worst: number;
}

/**
 * Returns the worst verdict of the final runs of each check in each time slot. The statement is not
 * prepared, because its best plan depends on the requested days.
 */
export function listSlots(
  db: Database,
  checkIds: readonly string[],
  span: { readonly fromMs: number; readonly toMs: number; readonly slotMs: number },
): Promise<SlotRow[]> {
  if (checkIds.length === 0) return Promise.resolve([]);
  return runSql<SlotRow>(
    db,
    `select place::int, found.* from unnest($1::uuid[]) with ordinality as requested (check_id, place)
      cross join lateral (
        select floor((extract(epoch from started_at) * 1000 - $4::float8) / $5::float8)::int
            as slot, max(verdict)::int as worst
        from results as run
        where run.check_id = requested.check_id and id >= $2 and id < $3 and is_final group by 1
      ) as found`,
    [checkIds, idFloor(span.fromMs), idFloor(span.toMs), span.fromMs, span.slotMs],
  );
}

interface CountedRuns {
  readonly checkId: string;
  readonly probeId: string;
  readonly up: number;
  readonly down: number;
}

/** Counts the final runs of checks by check and probe. Runs without a verdict do not count. */
export function countRunsByProbe(
  db: Database,
  checkIds: readonly string[],
  sinceMs: number,
): Promise<CountedRuns[]> {
  return runPrepared<CountedRuns>(db, {
    name: "count-runs-by-probe",
    text: `select check_id as "checkId",
        coalesce(probe_id, (select name from result_probes where number = probe_number))
          as "probeId",
        (count(*) filter (where verdict in (1, 2)))::int as up,
        (count(*) filter (where verdict = 3))::int as down
      from results
      where check_id = any($1::uuid[]) and id >= $2::uuid and is_final and verdict <> 0
      group by 1, 2`,
    values: [checkIds, idFloor(sinceMs)],
  });
}

/**
 * A number of runs that were due between two recorded runs but are not recorded. Their results may
 * still arrive.
 */
export interface RunGap {
  /** Location of the gap; `null` if the runs could have used any location of the check. */
  readonly location: string | null;
  /**
   * Due times of the recorded runs before and after the gap. If no earlier run is recorded,
   * `afterMs` is the time from which on the check was scheduled.
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

/** Runs of a check that were due but are not recorded. */
export interface MissedRuns {
  /** Due times of the recorded runs before and after the gap. */
  readonly from: Date;
  readonly to: Date;
  /** Location of the gap; `null` if the runs could have used any location of the check. */
  readonly location: string | null;
  readonly count: number;
}

interface GapRow {
  readonly after_at: Date;
  readonly before_at: Date;
  readonly location: string;
  readonly due_count: number;
}

/** Lists gaps, newest first. A gap whose results have all arrived in the meantime is not listed. */
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

/**
 * Counts the runs of each gap that were recorded later, in the order of the gaps. Only first
 * attempts are counted, because a run may have several attempts.
 */
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
