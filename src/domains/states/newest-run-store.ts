import { allKinds } from "../../kinds/index.ts";
import { type Database, runPrepared } from "../../platform/database.ts";
import { groupedCheckRows } from "../checks/index.ts";

/** The newest final run of a check at one location. */
export interface NewestRun {
  readonly location: string;
  readonly startedAt: Date;
  readonly responseMs: number | null;
  /** The start of its detail with counters and parts; `null` if nothing was measured. */
  readonly figures: Buffer | null;
}

/** A check with its newest run at each location. */
export interface CheckWithRuns {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly groupName: string | null;
  readonly isActive: boolean;
  readonly isMuted: boolean;
  readonly runs: readonly NewestRun[];
}

interface Row extends Omit<CheckWithRuns, "runs"> {
  readonly total: number;
  readonly location: string | null;
  readonly startedAt: Date | null;
  readonly responseMs: number | null;
  readonly figures: Buffer | null;
}

const figureBytes = `case c.kind ${allKinds
  .map((kind) => `when '${kind.type}' then ${kind.figureBytes}`)
  .join(" ")} else 0 end`;

/** The inner limit prevents the planner from reading all results to join them with a few. */
const listNewestRunsText = `select c.id, c.kind, c.name, c.tags, c.group_name as "groupName",
    c.is_active as "isActive", c.is_muted as "isMuted", c.total, place.location,
    run.started_at as "startedAt", run.response_ms as "responseMs",
    case when run.trouble is null then substring(run.detail for ${figureBytes}) end as figures
  from (
    select *, count(*) over () as total from ${groupedCheckRows} as one
    where account_id = $1 order by id limit $2
  ) as c
  left join check_states s on s.check_id = c.id
  left join lateral (
    select key as location, (value ->> 'resultId')::uuid as result_id
    from jsonb_each(s.locations)
  ) as place on true
  left join lateral (
    select * from readable_results as one
    where one.check_id = c.id and one.id = place.result_id limit 1
  ) as run on true
  order by c.id`;

/** Lists the oldest checks first, so that a limit always omits the same ones. */
export async function listNewestRuns(
  db: Database,
  accountId: string,
  limit: number,
): Promise<{ readonly checks: CheckWithRuns[]; readonly total: number }> {
  const rows = await runPrepared<Row>(db, {
    name: "list-newest-runs",
    text: listNewestRunsText,
    values: [accountId, limit],
  });
  const checks: (CheckWithRuns & { runs: NewestRun[] })[] = [];
  for (const { total: _total, location, startedAt, responseMs, figures, ...check } of rows) {
    let last = checks.at(-1);
    if (last?.id !== check.id) {
      last = { ...check, runs: [] };
      checks.push(last);
    }
    // The result may be older than the retention period.
    if (location === null || startedAt === null) continue;
    last.runs.push({ location, startedAt, responseMs, figures });
  }
  return { checks, total: rows[0]?.total ?? 0 };
}
