import type { Database } from "../../platform/database.ts";
import { finalizeAttempts, type ResultRow, readRun, verdictNames } from "../results/index.ts";
import type { Judged } from "./judge-result.ts";

/**
 * Makes the attempt before each late retry final. With parallel locations, a retry runs at the
 * location that failed.
 */
export async function finalizePreviousAttempts(
  db: Database,
  judged: readonly Judged[],
): Promise<Judged[]> {
  const late = judged.filter(({ isLateRetry }) => isLateRetry);
  if (late.length === 0) return [];
  const rows = await finalizeAttempts(
    db,
    late.map(({ result: { checkId, dueAtMs, attempt, location }, watched }) => ({
      checkId,
      dueAtMs,
      attempt: attempt - 1,
      location: watched.settings.runParallel ? location : null,
    })),
  );
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
