import type { Database } from "../../platform/database.ts";
import {
  type FinalResult,
  finalizeAttempts,
  type Neighbours,
  type ResultRow,
  readRun,
  verdictNames,
} from "../results/index.ts";
import type { CheckState } from "../states/index.ts";
import type { Judged } from "./fold.ts";
import { type FoldContext, type Folded, foldNewestVerdict, type StateChange } from "./fold.ts";

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

export interface LateFold extends Pick<Folded, "state"> {
  readonly changes: readonly StateChange[];
  /** Runs for alerting to decide on, in this order, although it has already seen later runs. */
  readonly runs: readonly FinalResult[];
}

/** Whether a later run of the same check (or location, with parallel runs) was already recorded. */
export function isLate(
  previous: CheckState | null,
  { location, dueAtMs }: Pick<FinalResult, "location" | "dueAtMs">,
  runParallel: boolean,
): boolean {
  if (previous === null) return false;
  if (!runParallel) return dueAtMs <= previous.lastRunAtMs;
  const last = Object.hasOwn(previous.locations, location) ? previous.locations[location] : null;
  return last !== null && last !== undefined && dueAtMs <= last.atMs;
}

/**
 * Evaluates a late run as if it had arrived in order. If only runs without data followed, it is the
 * newest last verdict. If it differs from its neighbours, the state changed and changed back.
 * Otherwise nothing changes.
 */
export function foldLate(
  previous: CheckState,
  final: FinalResult,
  context: FoldContext & { readonly neighbours: Neighbours },
): LateFold {
  const nothing = { state: previous, changes: [], runs: [] };
  const { before, after } = context.neighbours;
  if (final.verdict === "unknown") return nothing;
  if (after === null) {
    const { state, change } = foldNewestVerdict(previous, final, context);
    return { state, changes: change === null ? [] : [change], runs: [final] };
  }
  const { verdict } = after;
  const isThereAndBack = final.verdict !== verdict && final.verdict !== before;
  if (context.runParallel || !isThereAndBack || previous.status !== verdict) return nothing;
  const thereMs = Math.max(final.dueAtMs, previous.changedAtMs);
  const backMs = Math.max(after.dueAtMs, thereMs);
  const there = { from: verdict, to: final.verdict, atMs: thereMs, resultId: final.resultId };
  const back = { from: final.verdict, to: verdict, atMs: backMs, resultId: after.resultId };
  const state = { ...previous, sinceMs: backMs, changedAtMs: backMs };
  return { state, changes: [there, back], runs: [final, after] };
}
