import { type Database, runPrepared } from "../../../platform/database.ts";
import type { OfCheck, RunCounts } from "../../results/index.ts";
import type { Pieces, Span } from "../window.ts";

const startsOf = (spans: readonly Span[]) => spans.map(({ fromMs }) => fromMs);
const endsOf = (spans: readonly Span[]) => spans.map(({ toMs }) => toMs);

const rolled = (table: string, from: number) => `
  select location, runs, retries
  from unnest($${from}::float8[], $${from + 1}::float8[]) as span (from_ms, to_ms)
  join ${table} on ${table}.check_id = wanted.check_id
    and starts_at >= to_timestamp(span.from_ms / 1000)
    and starts_at < to_timestamp(span.to_ms / 1000)`;

/** Returns a row per check and location for the rolled-up days and hours. */
export async function countRolledRuns(
  db: Database,
  checkIds: readonly string[],
  { days, hours }: Pieces,
): Promise<OfCheck<RunCounts>[]> {
  if (days.length + hours.length === 0) return [];
  return runPrepared<OfCheck<RunCounts>>(db, {
    name: "count-rolled-runs",
    text: `select place::int, found.*
      from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
      cross join lateral (
        select location, sum(runs[2]) as passing, sum(runs[3]) as degraded,
          sum(runs[4]) as failing, sum(retries) as retries
        from (${rolled("daily_rollups", 2)} union all ${rolled("hourly_rollups", 4)}) as rolled
        group by location
      ) as found`,
    values: [checkIds, startsOf(days), endsOf(days), startsOf(hours), endsOf(hours)],
  });
}
