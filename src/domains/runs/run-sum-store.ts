import type { Kind } from "../../kinds/kind.ts";
import { type Database, runSql } from "../../platform/database.ts";
import { idFloor } from "./run-id.ts";

/** What is needed of a check to add up its runs. */
export interface CheckOfKind {
  readonly checkId: string;
  readonly kind: Pick<Kind, "figureBytes">;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Sums over single results. Figures of final runs come as bytes, for the kind to read. */
export interface RunSums {
  readonly unknown: number;
  readonly passing: number;
  readonly degraded: number;
  readonly failing: number;
  /** Attempts that were tried again. */
  readonly retries: number;
  /** The sketches of their samples, one after another. */
  readonly samples?: Uint8Array | null;
  /** The first `figureBytes` of each detail, with its counters and parts. */
  readonly figures?: Uint8Array | null;
  /** Whole details, each after its length, of results from before samples were kept. */
  readonly oldDetails?: Uint8Array | null;
}

/** The check by its place in the list that was asked for, from 1. */
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

// Each old detail is looked up by itself: a query that names the function which reads it copies
// every row whole, old or not.
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

const wanted = `unnest($1::uuid[], $2::int[]) with ordinality
  as wanted (check_id, figure_bytes, place)`;

const listWanted = (checks: readonly CheckOfKind[], { fromMs, toMs }: Span) => [
  checks.map(({ checkId }) => checkId),
  checks.map(({ kind }) => kind.figureBytes),
  idFloor(fromMs),
  idFloor(toMs),
];

// The queries have no names, so that each is planned for the days that it looks at. What comes over
// the wire is a row for each sum rather than for each result.

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

export type CheckSums = RunSums & { readonly checkId: string; readonly hasOldDetails?: boolean };

/** Two statements at once are what two cores answer soonest. */
const checksPerStatement = 100;

/** Checks whose runs one statement adds up: their figures are of one length. */
function* groupChecks(checks: readonly CheckOfKind[]) {
  for (const [figureBytes, group] of Map.groupBy(checks, ({ kind }) => kind.figureBytes)) {
    for (let at = 0; at < group.length; at += checksPerStatement) {
      const checkIds = group.slice(at, at + checksPerStatement).map(({ checkId }) => checkId);
      yield { checkIds, figureBytes };
    }
  }
}

/**
 * Gives a row for each check that has runs, as soon as it is known. Without retries, which are no
 * part of a summary. The pages that results of one minute lie in are read once for all checks. Old
 * details are asked for only where there are any: with them the database sorts all rows instead of
 * hashing them.
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

/** A row for each check and location. */
export function sumRunsByLocation(
  db: Database,
  checks: readonly CheckOfKind[],
  span: Span,
): Promise<OfCheck<RunSums & { readonly location: string }>[]> {
  return runSql(
    db,
    `select place::int, found.* from ${wanted}
      cross join lateral (
        select location, ${countVerdicts("is_final")},
          count(*) filter (where not is_final) as retries, ${gatherAll("is_final")}
        from results as run
        where run.check_id = wanted.check_id and id >= $3 and id < $4 group by location
      ) as found`,
    listWanted(checks, span),
  );
}

/** How the runs of a check at one location ended. */
export interface RunCounts {
  readonly location: string;
  readonly passing: number;
  readonly degraded: number;
  readonly failing: number;
  /** Attempts that were tried again. */
  readonly retries: number;
}

/** A row for each check and location, with counts alone. */
export function countRunsByLocation(
  db: Database,
  checkIds: readonly string[],
  { fromMs, toMs }: Span,
): Promise<OfCheck<RunCounts>[]> {
  return runSql(
    db,
    `select place::int, found.*
      from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
      cross join lateral (
        select location, count(*) filter (where is_final and verdict = 1) as passing,
          count(*) filter (where is_final and verdict = 2) as degraded,
          count(*) filter (where is_final and verdict = 3) as failing,
          count(*) filter (where not is_final) as retries
        from results as run
        where run.check_id = wanted.check_id and id >= $2 and id < $3 group by location
      ) as found`,
    [checkIds, idFloor(fromMs), idFloor(toMs)],
  );
}

const hourMs = 3_600_000;

/** The steps that a span touches, each with the ids that begin and end its part of the span. */
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
 * A row for each check and hour, or other step. Each is a range of its own in the index, as reading
 * the hour out of every id would cost more than all the rest; the ends of the span are for the
 * planner.
 */
export function sumRunsByHour(
  db: Database,
  checks: readonly CheckOfKind[],
  span: Span,
  { stepMs = hourMs, hasFigures = true }: { stepMs?: number; hasFigures?: boolean } = {},
): Promise<OfCheck<RunSums & { readonly startsMs: number }>[]> {
  return runSql(
    db,
    `select place::int, starts_ms as "startsMs", found.* from ${wanted}
      cross join unnest($5::float8[], $6::uuid[], $7::uuid[]) as step (starts_ms, from_id, to_id)
      cross join lateral (
        select ${countVerdicts("true")}, 0 as retries,
          ${hasFigures ? gatherAll("true") : gatherTimes("true")}
        from results as run
        where run.check_id = wanted.check_id and id >= from_id and id < to_id
          and id >= $3 and id < $4 and is_final
        having count(*) > 0
      ) as found`,
    [...listWanted(checks, span), ...listStepEdges(span, stepMs)],
  );
}

export interface RunBucketQuery {
  readonly check: CheckOfKind;
  readonly buckets: { readonly anchorMs: number; readonly intervalMs: number };
  readonly isByLocation: boolean;
  /** Samples are most of what there is; not every question needs them. */
  readonly hasSamples: boolean;
  readonly verdicts: readonly number[];
}

/** A bucket of a series, of one location or of all. */
export type InBucket<Row> = Row & { readonly bucket: number; readonly location: string | null };

/** The time a run was due is the first 48 bits of its id. */
const dueMs = `('x' || substr(id::text, 1, 8) || substr(id::text, 10, 4))::bit(48)::bigint`;

/** Runs of the verdicts asked for; retries are counted whatever became of the run. */
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
