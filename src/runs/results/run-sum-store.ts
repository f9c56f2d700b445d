import type { Kind } from "../../kinds/kit/kind.ts";
import { type Database, runSql } from "../../platform/database.ts";
import { idFloor } from "./run-id.ts";

/** A check with the fields of its kind that are needed for sums. */
interface CheckOfKind {
  readonly checkId: string;
  readonly kind: Pick<Kind, "figureBytes">;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Sums over the results of a check. The kind of the check decodes the bytes in `figures` and
 * `oldDetails`.
 */
export interface RunSums {
  readonly unknown: number;
  readonly passing: number;
  readonly degraded: number;
  readonly failing: number;
  /** Number of attempts that were retried. */
  readonly retries: number;
  /** Concatenated sketches of the runs' samples. */
  readonly samples?: Uint8Array | null;
  /**
   * First `figureBytes` bytes of the details of each measured run, concatenated. These bytes encode
   * the numbers that statistics aggregate (counters and parts).
   */
  readonly figures?: Uint8Array | null;
  /** Details of results stored before samples existed. Each detail is preceded by its length. */
  readonly oldDetails?: Uint8Array | null;
}

/** A row with the position of its check in the requested list, counted from 1. */
export type OfCheck<Row> = Row & { readonly place: number };

const countVerdicts = (isCounted: string) => `
  count(*) filter (where ${isCounted} and verdict = 0) as unknown,
  count(*) filter (where ${isCounted} and verdict = 1) as passing,
  count(*) filter (where ${isCounted} and verdict = 2) as degraded,
  count(*) filter (where ${isCounted} and verdict = 3) as failing`;

const gatherSamples = (isCounted: string) => `
  string_agg(samples, ''::bytea) filter (where ${isCounted}) as samples`;

const gatherFigures = (isCounted: string, bytes = "figure_bytes") => `
  string_agg(substring(detail for ${bytes}), ''::bytea)
    filter (where ${isCounted} and trouble is null and samples is not null) as figures`;

// Old details are selected in a subquery, because a query that contains the decoding function
// copies every row, even rows without old details.
const gatherOldDetails = (isCounted: string) => `
  string_agg(
    (select int4send(octet_length(old.detail)) || old.detail from readable_results as old
      where old.check_id = run.check_id and old.id = run.id and old.id >= $3 and old.id < $4),
    ''::bytea
  ) filter (where ${isCounted} and trouble is null and samples is null) as "oldDetails"`;

const gatherTimes = (isCounted: string) =>
  [gatherSamples(isCounted), gatherOldDetails(isCounted)].join(",");

const gatherAll = (isCounted: string) =>
  [gatherTimes(isCounted), gatherFigures(isCounted)].join(",");

const requested = `unnest($1::uuid[], $2::int[]) with ordinality
  as requested (check_id, figure_bytes, place)`;

const listWanted = (checks: readonly CheckOfKind[], { fromMs, toMs }: Span) => [
  checks.map(({ checkId }) => checkId),
  checks.map(({ kind }) => kind.figureBytes),
  idFloor(fromMs),
  idFloor(toMs),
];

// The following statements are not prepared, because their best plans depend on the requested days.
// They return one row per sum instead of one row per result.

const noteOldDetails = `bool_or(trouble is null and samples is null) as "hasOldDetails"`;

const writeSumRuns = (oldDetails: string) => `
  select check_id as "checkId", ${countVerdicts("true")}, 0 as retries, ${gatherSamples("true")},
    ${gatherFigures("true", "$2::int")}, ${oldDetails}
  from results as run
  where check_id = any($1::uuid[]) and id >= $3 and id < $4 and is_final
  group by check_id`;

export const sumRunsText = writeSumRuns(noteOldDetails);
const sumOldRunsText = writeSumRuns(gatherOldDetails("true"));

export function sumRunsValues(
  checkIds: readonly string[],
  figureBytes: number,
  { fromMs, toMs }: Span,
): unknown[] {
  return [checkIds, figureBytes, idFloor(fromMs), idFloor(toMs)];
}

type CheckSums = RunSums & { readonly checkId: string; readonly hasOldDetails?: boolean };

/** Maximum number of checks per statement. Statements for more checks run concurrently. */
const checksPerStatement = 100;

/**
 * Groups checks whose kinds have figures of equal length, because a statement supports one length.
 */
function* groupChecks(checks: readonly CheckOfKind[]) {
  for (const [figureBytes, group] of Map.groupBy(checks, ({ kind }) => kind.figureBytes)) {
    for (let at = 0; at < group.length; at += checksPerStatement) {
      const checkIds = group.slice(at, at + checksPerStatement).map(({ checkId }) => checkId);
      yield { checkIds, figureBytes };
    }
  }
}

/**
 * Sums the final runs of each check and calls `add` for each check that has runs. Retried attempts
 * are not counted. One statement covers many checks, so that a database page with results of
 * several checks is read only once. Old details are queried only if they exist, because a query for
 * them sorts all rows instead of hashing them.
 */
export async function sumRuns(
  db: Database,
  checks: readonly CheckOfKind[],
  span: Span,
  add: (sums: CheckSums) => void,
): Promise<void> {
  const statements = [...groupChecks(checks)].map(async ({ checkIds, figureBytes }) => {
    const values = sumRunsValues(checkIds, figureBytes, span);
    const rows = await runSql<CheckSums>(db, sumRunsText, values);
    const isWhole = !rows.some(({ hasOldDetails }) => hasOldDetails);
    for (const row of isWhole ? rows : await runSql<CheckSums>(db, sumOldRunsText, values)) {
      add(row);
    }
  });
  await Promise.all(statements);
}

/** Sums runs. Returns one row per check and location. */
export function sumRunsByLocation(
  db: Database,
  checks: readonly CheckOfKind[],
  span: Span,
): Promise<OfCheck<RunSums & { readonly location: string }>[]> {
  return runSql(
    db,
    `select place::int, found.* from ${requested}
      cross join lateral (
        select location, ${countVerdicts("is_final")},
          count(*) filter (where not is_final) as retries, ${gatherAll("is_final")}
        from results as run
        where run.check_id = requested.check_id and id >= $3 and id < $4 group by location
      ) as found`,
    listWanted(checks, span),
  );
}

/** Number of runs of a check at one location, by verdict. */
export interface RunCounts {
  readonly location: string;
  readonly passing: number;
  readonly degraded: number;
  readonly failing: number;
  /** Number of attempts that were retried. */
  readonly retries: number;
}

/** Counts runs. Returns one row per check and location. */
export function countRunsByLocation(
  db: Database,
  checkIds: readonly string[],
  { fromMs, toMs }: Span,
): Promise<OfCheck<RunCounts>[]> {
  return runSql(
    db,
    `select place::int, found.*
      from unnest($1::uuid[]) with ordinality as requested (check_id, place)
      cross join lateral (
        select location, count(*) filter (where is_final and verdict = 1) as passing,
          count(*) filter (where is_final and verdict = 2) as degraded,
          count(*) filter (where is_final and verdict = 3) as failing,
          count(*) filter (where not is_final) as retries
        from results as run
        where run.check_id = requested.check_id and id >= $2 and id < $3 group by location
      ) as found`,
    [checkIds, idFloor(fromMs), idFloor(toMs)],
  );
}

const hourMs = 3_600_000;

/** Divides a span into steps. Returns the start of each step and its range of run ids. */
function listStepEdges({ fromMs, toMs }: Span, stepMs: number) {
  const starts: number[] = [];
  for (let at = Math.floor(fromMs / stepMs) * stepMs; at < toMs; at += stepMs) starts.push(at);
  return [
    starts,
    starts.map((at) => idFloor(Math.max(at, fromMs))),
    starts.map((at) => idFloor(Math.min(at + stepMs, toMs))),
  ];
}

/**
 * Sums final runs. Returns one row per check and step (an hour by default). Each step has its own
 * range of ids, because extracting the hour from each id would take longer than the rest of the
 * query. The range of the whole span helps the query planner.
 */
export function sumRunsByHour(
  db: Database,
  checks: readonly CheckOfKind[],
  span: Span,
  { stepMs = hourMs, hasFigures = true }: { stepMs?: number; hasFigures?: boolean } = {},
): Promise<OfCheck<RunSums & { readonly startsMs: number }>[]> {
  return runSql(
    db,
    `select place::int, starts_ms as "startsMs", found.* from ${requested}
      cross join unnest($5::float8[], $6::uuid[], $7::uuid[]) as step (starts_ms, from_id, to_id)
      cross join lateral (
        select ${countVerdicts("true")}, 0 as retries,
          ${hasFigures ? gatherAll("true") : gatherTimes("true")}
        from results as run
        where run.check_id = requested.check_id and id >= from_id and id < to_id
          and id >= $3 and id < $4 and is_final
        having count(*) > 0
      ) as found`,
    [...listWanted(checks, span), ...listStepEdges(span, stepMs)],
  );
}

interface RunBucketQuery {
  readonly check: CheckOfKind;
  readonly buckets: { readonly anchorMs: number; readonly intervalMs: number };
  readonly isByLocation: boolean;
  /** Whether to read samples, which are most of the data. */
  readonly hasSamples: boolean;
  readonly verdicts: readonly number[];
}

/** A bucket of a series. `location` is `null` if the bucket contains all locations. */
export type InBucket<Row> = Row & { readonly bucket: number; readonly location: string | null };

/** SQL expression for the due time of a run, which is in the first 48 bits of the id. */
const dueMs = `('x' || substr(id::text, 1, 8) || substr(id::text, 10, 4))::bit(48)::bigint`;

/**
 * Sums the runs in each bucket. A final run is included only if it has one of the requested
 * verdicts. Retried attempts are counted regardless of their verdict.
 */
export function listRunBuckets(
  db: Database,
  query: RunBucketQuery,
  span: Span,
): Promise<InBucket<RunSums>[]> {
  const { text, values } = runBucketsStatement(query, span);
  return runSql(db, text, values);
}

export function runBucketsStatement(query: RunBucketQuery, span: Span) {
  const gathered = [gatherFigures("counts"), gatherOldDetails("counts")];
  if (query.hasSamples) gathered.push(gatherSamples("counts"));
  return {
    text: `select bucket, place as location, ${countVerdicts("counts")},
        count(*) filter (where not is_final) as retries, ${gathered.join(",")}
      from (
        select floor((${dueMs} - $5::float8) / $6::float8)::int as bucket,
          case when $7 then location end as place, $2::int as figure_bytes,
          is_final and verdict = any($8::smallint[]) as counts, is_final, verdict, trouble,
          samples, detail, check_id, id
        from results where check_id = $1 and id >= $3 and id < $4
      ) as run
      group by bucket, place`,
    values: [
      query.check.checkId,
      query.check.kind.figureBytes,
      idFloor(span.fromMs),
      idFloor(span.toMs),
      query.buckets.anchorMs,
      query.buckets.intervalMs,
      query.isByLocation,
      query.verdicts,
    ],
  };
}
