import type { Order } from "../../contract/order.ts";
import type { Result } from "../../contract/result.ts";
import { judgeRun, type Verdict } from "../../kinds/kit/verdict.ts";
import type { Database } from "../../platform/database.ts";
import {
  type FinalResult,
  finalizeAttempts,
  type JudgedResult,
  type Neighbours,
  type ResultRow,
  readRun,
  verdictNames,
} from "../results/index.ts";
import { createOrder, nextDueAtMs, type Watched } from "../scheduling/index.ts";
import type { CheckState } from "../states/index.ts";
import { chooseRetryLocation, decideRetry, isRetryLate } from "./retry.ts";

/**
 * A result with its verdict. `retry` is the order of the next attempt; `null` if the run is not
 * retried.
 */
export interface Judged extends JudgedResult {
  readonly watched: Watched;
  readonly retry: Order | null;
  /**
   * Whether a retry started so late that its result no longer describes the target at the time of
   * the run. The previous attempt is then final.
   */
  readonly isLateRetry: boolean;
}

interface JudgedAt {
  readonly nowMs: number;
  /** Planned start of the retry; `null` for a first attempt. */
  readonly plannedAtMs: number | null;
}

export function judge(result: Result, watched: Watched, at: JudgedAt): Judged {
  const { kind, settings, places } = watched;
  const { nowMs } = at;
  const { verdict, reasons, isNetworkError, hasFailedFamily } = judgeRun(kind, settings, result);
  const judged = { result, verdict, reasons, watched, retry: null, isLateRetry: false };
  if (verdict !== "unknown" && isLateAttempt(result, watched, at)) {
    return { ...judged, isFinal: false, isLateRetry: true };
  }
  const { attempt, dueAtMs, location, runId } = result;
  const { retryStrategy: strategy, runParallel } = settings;
  const decision = decideRetry({
    strategy,
    attempt,
    verdict: hasFailedFamily ? "failing" : verdict,
    isNetworkError,
    firstStartedAtMs: dueAtMs,
    nowMs,
  });
  if (decision.kind === "final") return { ...judged, isFinal: true };
  const sameRegion = strategy?.sameRegion ?? true;
  const choice = { sameRegion, runParallel, locations: places, location, attempt, runId };
  const retry = createOrder(watched, {
    location: chooseRetryLocation(choice),
    dueAtMs,
    attempt: attempt + 1,
    startAtMs: nowMs + decision.afterMs,
  });
  return { ...judged, isFinal: false, retry };
}

function isLateAttempt(result: Result, { plan }: Watched, { plannedAtMs }: JudgedAt): boolean {
  if (plannedAtMs === null) return false;
  const nextDueMs = nextDueAtMs(plan, result.dueAtMs);
  return isRetryLate({ plannedAtMs, startedAtMs: result.startedAtMs, nextDueMs });
}

type LocationState = CheckState["locations"][string];

export interface FoldContext {
  readonly runParallel: boolean;
  /** Current locations of the check, with group settings and defaults applied. */
  readonly locations: readonly string[];
}

export interface StateChange {
  readonly from: Verdict;
  readonly to: Verdict;
  readonly atMs: number;
  readonly resultId: string;
}

interface Folded {
  readonly state: CheckState;
  readonly change: StateChange | null;
}

/**
 * Folds a final result into the state of a check. A result that is not newer than the last result
 * of its location changes nothing, so a repeated or late result is harmless. The first verdict of a
 * check is a change from unknown.
 *
 * With round robin, the run with the latest due time decides the status. With parallel locations,
 * the worst location decides. Locations without a verdict count only if no location has a verdict.
 */
export function foldResult(
  previous: CheckState | null,
  final: FinalResult,
  context: FoldContext,
): Folded {
  const lastAtLocation = previous === null ? undefined : findLocation(previous, final.location);
  if (previous !== null && lastAtLocation !== undefined && final.dueAtMs <= lastAtLocation.atMs) {
    return { state: previous, change: null };
  }
  const locations = keepConfigured(previous, final, context);
  const isNewest = previous === null || final.dueAtMs > previous.lastRunAtMs;
  const status = decideStatus(previous, { final, context, locations, isNewest });
  const from = previous?.status ?? "unknown";
  const hasChanged = status !== from;
  // A late result may be due before the last change, but state changes must be in time order.
  const atMs = Math.max(final.dueAtMs, previous?.changedAtMs ?? final.dueAtMs);
  const last = isNewest || previous === null ? describeLast(final) : pickLast(previous);
  const state: CheckState = {
    status,
    sinceMs: findSinceMs(previous, status, atMs),
    changedAtMs: hasChanged || previous === null ? atMs : previous.changedAtMs,
    beforeUnknown: findStateBeforeUnknown(previous, status, final),
    ...last,
    consecutiveFailures: countFailures(previous, { final, context, status, isNewest }),
    locations,
  };
  const change = hasChanged ? { from, to: status, atMs, resultId: final.resultId } : null;
  return { state, change };
}

/**
 * Folds a late result if all later runs have no data. The verdict of the late result is then the
 * newest verdict of the check.
 */
function foldNewestVerdict(previous: CheckState, final: FinalResult, context: FoldContext): Folded {
  const last = findLocation(previous, final.location);
  const newestMs = Math.max(previous.lastRunAtMs, last?.atMs ?? 0);
  // Folds the result as if it were newer than all others, then restores the recorded times.
  const inTime = foldResult(previous, { ...final, dueAtMs: newestMs + 1 }, context);
  const atMs = Math.max(final.dueAtMs, previous.changedAtMs);
  const { status } = inTime.state;
  const locations = { ...inTime.state.locations };
  const vote = findLocation(inTime.state, final.location);
  if (vote !== undefined) locations[final.location] = { ...vote, atMs: last?.atMs ?? newestMs };
  const state: CheckState = {
    ...inTime.state,
    sinceMs: findSinceMs(previous, status, atMs),
    changedAtMs: inTime.change === null ? previous.changedAtMs : atMs,
    lastRunAtMs: previous.lastRunAtMs,
    locations,
  };
  return { state, change: inTime.change && { ...inTime.change, atMs } };
}

/**
 * Returns the start of the status. If the status continues after an interruption by runs without
 * data, returns its start before the interruption.
 */
function findSinceMs(previous: CheckState | null, status: Verdict, atMs: number): number {
  if (previous === null) return atMs;
  if (status === previous.status) return previous.sinceMs;
  const { beforeUnknown } = previous;
  return beforeUnknown?.status === status ? beforeUnknown.sinceMs : atMs;
}

/**
 * Runs without data may interrupt a status, which may continue afterwards. Returns the status
 * before such an interruption; `null` if there is none. The status is discarded once a location
 * without data has a verdict again, because the new verdict shows whether the status continued.
 */
function findStateBeforeUnknown(
  previous: CheckState | null,
  status: Verdict,
  final: FinalResult,
): CheckState["beforeUnknown"] {
  if (previous === null) return null;
  const { beforeUnknown } = previous;
  if (final.verdict !== "unknown") {
    const wasSilent = findLocation(previous, final.location)?.verdict === "unknown";
    const speaksAgain = wasSilent || (previous.status === "unknown" && status !== "unknown");
    return speaksAgain ? null : beforeUnknown;
  }
  if (status === previous.status) return beforeUnknown;
  return beforeUnknown ?? { status: previous.status, sinceMs: previous.sinceMs };
}

function keepConfigured(
  previous: CheckState | null,
  final: FinalResult,
  context: FoldContext,
): Record<string, LocationState> {
  const { verdict, resultId, dueAtMs } = final;
  const current: [string, LocationState][] = [];
  for (const location of context.locations) {
    const last = previous === null ? undefined : findLocation(previous, location);
    if (location === final.location) current.push([location, { verdict, resultId, atMs: dueAtMs }]);
    else if (last !== undefined) current.push([location, last]);
  }
  return Object.fromEntries(current);
}

function decideStatus(
  previous: CheckState | null,
  now: {
    readonly final: FinalResult;
    readonly context: FoldContext;
    readonly locations: Readonly<Record<string, LocationState>>;
    readonly isNewest: boolean;
  },
): Verdict {
  if (!now.context.runParallel) {
    return now.isNewest ? now.final.verdict : (previous?.status ?? now.final.verdict);
  }
  const votes = new Set(Object.values(now.locations).map((location) => location.verdict));
  if (votes.has("failing")) return "failing";
  if (votes.has("degraded")) return "degraded";
  return votes.has("passing") ? "passing" : "unknown";
}

/** Counts consecutive failures. Parallel runs with equal due times count as one. */
function countFailures(
  previous: CheckState | null,
  now: {
    readonly final: FinalResult;
    readonly context: FoldContext;
    readonly status: Verdict;
    readonly isNewest: boolean;
  },
): number {
  const before = previous?.consecutiveFailures ?? 0;
  const { final, context, status, isNewest } = now;
  if (status === "passing" || status === "degraded") return 0;
  if (final.verdict !== "failing") return before;
  if (!context.runParallel) return isNewest ? before + 1 : before;
  if (!context.locations.includes(final.location)) return before;
  const isCounted = Object.values(previous?.locations ?? {}).some(
    (location) => location.verdict === "failing" && location.atMs >= final.dueAtMs,
  );
  return isCounted ? before : before + 1;
}

function describeLast(final: FinalResult) {
  return {
    lastResultId: final.resultId,
    lastRunLocation: final.location,
    lastRunAtMs: final.dueAtMs,
  };
}

function pickLast({ lastResultId, lastRunLocation, lastRunAtMs }: CheckState) {
  return { lastResultId, lastRunLocation, lastRunAtMs };
}

/**
 * Reads only own properties, because a location may have the name of an inherited property, such as
 * "constructor".
 */
function findLocation(state: CheckState, location: string): LocationState | undefined {
  return Object.hasOwn(state.locations, location) ? state.locations[location] : undefined;
}

/**
 * Makes the attempts before late retries final and returns them. With parallel locations, a retry
 * runs at the location of the previous attempt. Without parallel locations, the previous attempt
 * may have run at a different location, so attempts at all locations are searched.
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

/**
 * Separates the runs that started after a later run of their check, for example because the server
 * was overloaded. They are recorded after the others, as late runs.
 */
export function separateOvertaken(batch: readonly Judged[]): readonly [Judged[], Judged[]] {
  const withVerdict = batch.filter(({ isFinal, verdict }) => isFinal && verdict !== "unknown");
  const byCheck = Map.groupBy(withVerdict, ({ result: { checkId, location }, watched }) =>
    watched.settings.runParallel ? `${checkId} ${location}` : checkId,
  );
  const overtaken = new Set<Judged>();
  for (const runs of byCheck.values()) {
    let firstStartMs = Number.POSITIVE_INFINITY;
    for (const run of runs.toSorted((one, other) => other.result.dueAtMs - one.result.dueAtMs)) {
      if (run.result.startedAtMs > firstStartMs) overtaken.add(run);
      firstStartMs = Math.min(firstStartMs, run.result.startedAtMs);
    }
  }
  return [batch.filter((run) => !overtaken.has(run)), [...overtaken]];
}

interface LateFold extends Pick<Folded, "state"> {
  readonly changes: readonly StateChange[];
  /** Runs to pass to alerting, in this order. Alerting may have evaluated later runs already. */
  readonly runs: readonly FinalResult[];
}

/**
 * Whether this run or a later one was recorded for the check. With parallel locations, only runs at
 * the same location count.
 */
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
 * Evaluates a late run as if it had arrived in order. If all later runs have no data, the late run
 * has the newest verdict. Otherwise, the late run is compared with the nearest runs before and
 * after it that have data. If its verdict differs from the verdicts of these two runs, the status
 * changed and changed back. This applies only without parallel locations, and only if the verdict
 * of the later run is still the current status. In all other cases, nothing changes, in particular
 * if the late run started after the later run: it describes the target afterwards.
 */
export function foldLate(
  previous: CheckState,
  { startedAtMs, ...final }: FinalResult & { readonly startedAtMs: number },
  context: FoldContext & { readonly neighbours: Neighbours },
): LateFold {
  const nothing = { state: previous, changes: [], runs: [] };
  const { before, after } = context.neighbours;
  if (final.verdict === "unknown") return nothing;
  if (after === null) {
    const { state, change } = foldNewestVerdict(previous, final, context);
    return { state, changes: change === null ? [] : [change], runs: [final] };
  }
  if (startedAtMs > after.startedAtMs) return nothing;
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
