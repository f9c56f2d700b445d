import { type Database, runPrepared } from "../../../platform/database.ts";
import { idFloor } from "../run-id.ts";

export interface CountedRuns {
  readonly checkId: string;
  readonly probeId: string;
  readonly up: number;
  readonly down: number;
}

/** Counts final runs with a verdict, by check and probe. */
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
