import { type Database, runPrepared } from "../../../platform/database.ts";
import { counterKeys } from "../rollups/rollup.ts";
import type { Span } from "../window.ts";

/** Sums over the closed hours or days of a check, without sketches. */
export interface CoarseSums {
  readonly checkId: string;
  readonly name: string;
  readonly kind: string;
  /** Final runs with a verdict. */
  readonly runs: number;
  readonly badRuns: number;
  readonly sampleCount: number;
  readonly sampleSumMs: number;
  readonly counters: readonly number[];
}

const counters = counterKeys.map(
  (_, place) => `coalesce(sum(r.counters[${place + 1}]), 0)::float8`,
);

/** For all active checks of an account. */
export function sumCoarsely(
  db: Database,
  accountId: string,
  { fromMs, toMs, unit }: Span & { readonly unit: "hour" | "day" },
): Promise<CoarseSums[]> {
  const table = unit === "hour" ? "hourly_rollups" : "daily_rollups";
  return runPrepared<CoarseSums>(db, {
    name: `sum-coarsely-by-${unit}`,
    text: `select c.id as "checkId", c.name, c.kind, found.*
      from checks_with_group c cross join lateral (
        select sum(r.runs[2] + r.runs[3] + r.runs[4])::int as runs,
          sum(r.runs[3] + r.runs[4])::int as "badRuns",
          sum(r.sample_count)::float8 as "sampleCount",
          coalesce(sum(r.sample_sum_ms), 0) as "sampleSumMs",
          array[${counters.join(", ")}] as counters
        from ${table} r where r.check_id = c.id
          and r.starts_at >= to_timestamp($2::float8 / 1000)
          and r.starts_at < to_timestamp($3::float8 / 1000)
      ) as found
      where c.account_id = $1 and c.is_active and found.runs > 0`,
    values: [accountId, fromMs, toMs],
  });
}
