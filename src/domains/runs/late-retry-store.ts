import type { Result } from "../../contract/result.ts";
import { type Database, runPrepared } from "../../platform/database.ts";
import type { Judged } from "./judge-result.ts";
import { type ResultRow, readRun, verdictNames } from "./result-store.ts";
import { idFloor } from "./run-id.ts";

/**
 * Returns when each retry was to start, by run id. Needs no query if there are only first attempts.
 */
export async function findRetryStarts(
  db: Database,
  results: readonly Result[],
): Promise<ReadonlyMap<string, number>> {
  const runIds = results.filter(({ attempt }) => attempt > 1).map(({ runId }) => runId);
  if (runIds.length === 0) return new Map();
  const rows = await runPrepared<{ run_id: string; start_at: Date }>(db, {
    name: "find-retry-starts",
    text: "select run_id, start_at from pending_retries where run_id = any($1::uuid[])",
    values: [runIds],
  });
  return new Map(rows.map((row) => [row.run_id, row.start_at.getTime()]));
}

/**
 * Makes the attempt before each late retry final. All attempts of a run have its due time in their
 * ids; with parallel locations, a retry runs at the location that failed.
 */
export async function finalizePreviousAttempts(
  db: Database,
  judged: readonly Judged[],
): Promise<Judged[]> {
  const late = judged.filter(({ isLateRetry }) => isLateRetry);
  if (late.length === 0) return [];
  const rows = await runPrepared<ResultRow & { readonly place: number }>(db, {
    name: "finalize-previous-attempts",
    text: `update results set is_final = true
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[], $5::text[])
        with ordinality as late (check_id, from_id, to_id, attempt, location, place)
      where results.check_id = late.check_id and results.id >= late.from_id
        and results.id < late.to_id and results.attempt = late.attempt
        and (late.location is null or results.location = late.location) and not is_final
      returning (late.place - 1)::int as place, results.*`,
    values: [
      late.map(({ result }) => result.checkId),
      late.map(({ result }) => idFloor(result.dueAtMs)),
      late.map(({ result }) => idFloor(result.dueAtMs + 1)),
      late.map(({ result }) => result.attempt - 1),
      late.map(({ result, watched }) => (watched.settings.runParallel ? result.location : null)),
    ],
  });
  return rows.flatMap((row) => {
    const judged = late[row.place];
    return judged === undefined ? [] : [toFinal(judged, row)];
  });
}

function toFinal({ result, watched }: Judged, row: ResultRow): Judged {
  const { outcome, startedAtMs } = readRun(watched.kind, row);
  const { id: runId, location, attempt } = row;
  return {
    watched,
    result: { ...result, runId, location, attempt, startedAtMs, outcome },
    verdict: verdictNames[row.verdict] ?? "unknown",
    reasons: row.reasons ?? [],
    isFinal: true,
    retry: null,
    isLateRetry: false,
  };
}
