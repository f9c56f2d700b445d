import { Type } from "typebox";
import {
  type PathReport,
  summarizePaths,
  type Traced,
} from "../../kinds/kit/paths/compare-paths.ts";
import { PathSchema } from "../../kinds/kit/paths/path.ts";
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

/** Finds the path report of a run, which may belong to any attempt of the run. */
export function findRunPath(
  db: Database,
  checkId: string,
  resultId: string,
): Promise<PathReport | null> {
  const dueAtMs = readDueAtMs(resultId);
  return findPathBetween(db, checkId, { fromMs: dueAtMs, toMs: dueAtMs + 1 });
}

/** Finds the first path report of a check in a range of due times. */
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

/** Finds, for each alert, the first path report of its check in a range of due times. */
export async function mapPathsOfAlerts(
  db: Database,
  alerts: readonly {
    readonly id: string;
    readonly checkId: string;
    readonly fromMs: number;
    readonly toMs: number;
  }[],
): Promise<Map<string, PathReport>> {
  if (alerts.length === 0) return new Map();
  const rows = await runSql<{ id: string; report: PathReport }>(
    db,
    `select one.id, report
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[])
          as one (id, check_id, first, after)
        cross join lateral (select report from run_paths where run_paths.check_id = one.check_id
          and result_id >= first and result_id < after order by result_id limit 1) as found`,
    [
      alerts.map(({ id }) => id),
      alerts.map(({ checkId }) => checkId),
      alerts.map(({ fromMs }) => idFloor(fromMs)),
      alerts.map(({ toMs }) => idFloor(toMs)),
    ],
  );
  return new Map(rows.map(({ id, report }) => [id, report]));
}

/**
 * Lists the newest path report of each check, newest first. Reports that are older than the time
 * `since` of their check are ignored.
 */
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

export async function deletePathsBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from run_paths where at < $1", [before]);
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
