import { Type } from "typebox";
import { type PathReport, summarizePaths, type Traced } from "../../kinds/paths/compare-paths.ts";
import { type Path, PathSchema } from "../../kinds/paths/path.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, OrNull } from "../../platform/http/schema.ts";
import { idFloor, readDueAtMs } from "./run-id.ts";

export async function saveRunPath(
  db: Database,
  checkId: string,
  resultId: string,
  report: PathReport,
): Promise<void> {
  await runSql(
    db,
    `insert into run_paths (check_id, result_id, at, report) values ($1, $2, $3, $4)
      on conflict do nothing`,
    [checkId, resultId, new Date(report.tracedAtMs), JSON.stringify(report)],
  );
}

/** Finds the paths of a run, whichever of its attempts was traced. */
export function findRunPath(
  db: Database,
  checkId: string,
  resultId: string,
): Promise<PathReport | null> {
  const dueAtMs = readDueAtMs(resultId);
  return findPathBetween(db, checkId, { fromMs: dueAtMs, toMs: dueAtMs + 1 });
}

/** Finds the first paths of runs that were due between two times. */
export async function findPathBetween(
  db: Database,
  checkId: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<PathReport | null> {
  const rows = await runPrepared<{ report: PathReport }>(db, {
    name: "find-run-path",
    text: `select report from run_paths where check_id = $1 and result_id >= $2 and result_id < $3
      order by result_id limit 1`,
    values: [checkId, idFloor(fromMs), idFloor(toMs)],
  });
  return rows[0]?.report ?? null;
}

/** Lists the newest path of each check since its own time, the newest first. */
export function listNewestPaths(
  db: Database,
  checks: readonly { readonly checkId: string; readonly since: Date }[],
  limit: number,
): Promise<{ readonly checkId: string; readonly report: PathReport }[]> {
  return runSql(
    db,
    `select check_id as "checkId", report
      from unnest($1::uuid[], $2::timestamptz[]) as failing (check_id, since)
        cross join lateral (select at, report from run_paths
          where run_paths.check_id = failing.check_id and at >= since
          order by result_id desc limit 1) as newest
      order by at desc, check_id limit $3`,
    [checks.map(({ checkId }) => checkId), checks.map(({ since }) => since), limit],
  );
}

/** Which hops the good paths of passing checks contain. */
export interface UsedHops {
  /** Passing checks whose path is known. */
  readonly checkCount: number;
  /** Those of the given addresses that are hops of such a path. */
  readonly addresses: readonly string[];
}

/** Finds which addresses are hops of passing checks, of those whose path was learned last. */
export async function findUsedHops(
  db: Database,
  accountId: string,
  query: { readonly addresses: readonly string[]; readonly limit: number },
): Promise<UsedHops> {
  const rows = await runSql<UsedHops>(
    db,
    `with known as materialized (
        select check_id, path from good_paths join checks_with_period on id = check_id
        where account_id = $1 and status = 'passing' and path is not null
        order by learned_at desc limit $3)
      select (select count(distinct check_id)::int from known) as "checkCount",
        array(select distinct hop ->> 'address' from known
            cross join lateral jsonb_array_elements(path -> 'hops') as hop
          where hop ->> 'address' = any($2::text[])) as addresses`,
    [accountId, query.addresses, query.limit],
  );
  return rows[0] ?? { checkCount: 0, addresses: [] };
}

export async function deletePathsBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from run_paths where at < $1", [before]);
}

/** Where a check runs. */
export interface CheckPlace {
  readonly checkId: string;
  readonly location: string;
}

/**
 * Claims the first places, in order of checks, whose path was not traced since a time. Servers that
 * claim at the same time receive different places.
 */
export function claimGoodPaths(
  db: Database,
  places: readonly CheckPlace[],
  claim: { readonly now: Date; readonly before: Date; readonly limit: number },
): Promise<CheckPlace[]> {
  return runSql(
    db,
    `insert into good_paths as good (check_id, location, tried_at)
      select check_id, location, $3
        from unnest($1::uuid[], $2::text[]) as place (check_id, location)
        left join good_paths using (check_id, location)
        where tried_at is null or tried_at < $4 order by check_id limit $5
      on conflict (check_id, location) do update set tried_at = excluded.tried_at
        where good.tried_at < $4
      returning check_id as "checkId", location`,
    [
      places.map(({ checkId }) => checkId),
      places.map(({ location }) => location),
      claim.now,
      claim.before,
      claim.limit,
    ],
  );
}

export async function saveGoodPath(
  db: Database,
  { checkId, location }: CheckPlace,
  learned: { readonly path: Path; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    `update good_paths set path = $3, learned_at = $4 where check_id = $1 and location = $2`,
    [checkId, location, JSON.stringify(learned.path), learned.at],
  );
}

interface GoodPathRow extends CheckPlace {
  readonly path: Path;
  readonly learnedAt: Date;
}

/** Lists what was learned about checks; every location of each. */
export function listGoodPaths(db: Database, checkIds: readonly string[]): Promise<GoodPathRow[]> {
  return runSql(
    db,
    `select check_id as "checkId", location, path, learned_at as "learnedAt" from good_paths
      where check_id = any($1::uuid[]) and path is not null order by check_id, location limit 10000`,
    [checkIds],
  );
}

export const PathReportSchema = Type.Object(
  {
    summary: Type.String({
      description: "Where the path ends and how it differs from the last good path.",
      examples: [
        "The path ends after hop 7 (198.51.100.1); the last good path went on to hop 8 (203.0.113.9).",
      ],
    }),
    location: Type.String({
      description: "The location that failed, where the path starts.",
      examples: ["eu-central-1"],
    }),
    tracedAt: Described(DateTime, "When the path was traced."),
    failing: Described(OrNull(PathSchema), "The path; `null` if it could not be traced."),
    trouble: Described(
      OrNull(Type.String()),
      "Why the path could not be traced and what to do; `null` if it was traced.",
      null,
    ),
    passing: Described(
      OrNull(
        Type.Object({
          location: Type.String({ description: "The location.", examples: ["eu-west-1"] }),
          path: Described(PathSchema, "The path from there."),
        }),
      ),
      "The path from a location where the check passes, traced at the same time; `null` if none.",
    ),
    lastGood: Described(
      OrNull(
        Type.Object({
          learnedAt: Described(DateTime, "When it was traced."),
          path: Described(PathSchema, "The path."),
        }),
      ),
      "The last path from the same location while the check passed; `null` if none was traced.",
    ),
  },
  {
    title: "PathReport",
    description: "Paths to the target, traced after the first failing run of a problem.",
  },
);

const pathOf = (traced: Traced) => ("path" in traced ? traced.path : null);

export function toWirePathReport(report: PathReport) {
  const { location, tracedAtMs, failing, passing, lastGood } = report;
  return {
    summary: summarizePaths(report),
    location,
    tracedAt: formatDateTime(new Date(tracedAtMs)),
    failing: pathOf(failing),
    trouble: "trouble" in failing ? failing.trouble : null,
    passing,
    lastGood: lastGood && {
      learnedAt: formatDateTime(new Date(lastGood.learnedAtMs)),
      path: lastGood.path,
    },
  };
}
