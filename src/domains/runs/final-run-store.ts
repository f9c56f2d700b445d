import type { Verdict } from "../../kinds/verdict.ts";
import { type Database, runPrepared } from "../../platform/database.ts";
import { verdictNames } from "./result-store.ts";
import { idFloor, readDueAtMs } from "./run-id.ts";

/** The last attempt of a run, without its measurement. */
export interface PastRun {
  readonly resultId: string;
  readonly location: string;
  readonly verdict: Verdict;
  readonly dueAtMs: number;
}

/** Lists runs, oldest first. Filters by id range, so that only the requested days are read. */
export async function listPastRuns(
  db: Database,
  checkId: string,
  span: { readonly fromMs: number; readonly toMs: number; readonly limit: number },
): Promise<PastRun[]> {
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
