import type { Kind } from "../../kinds/kit/kind.ts";
import type { Reason, Verdict } from "../../kinds/kit/verdict.ts";
import { explainVerdict } from "../../kinds/kit/verdict.ts";

interface LocationState {
  readonly verdict: Verdict;
  readonly resultId: string;
  readonly atMs: number;
}

/** A status that was interrupted by runs without data but may continue afterwards. */
interface KnownState {
  readonly status: Verdict;
  readonly sinceMs: number;
}

/** Current state of a check, computed by folding its final results. */
export interface CheckState {
  readonly status: Verdict;
  /** Due time of the run that started the status. Runs without data in between do not reset it. */
  readonly sinceMs: number;
  /** Time of the newest change, later than `sinceMs` if runs without data interrupted a status. */
  readonly changedAtMs: number;
  /** Status before runs without data; `null` once a location without data has a verdict again. */
  readonly beforeUnknown: KnownState | null;
  readonly lastResultId: string;
  readonly lastRunLocation: string;
  readonly lastRunAtMs: number;
  /** Number of consecutive failed runs. Runs without a verdict do not change the number. */
  readonly consecutiveFailures: number;
  /** Newest final result of each current location. */
  readonly locations: Readonly<Record<string, LocationState>>;
}

type DecisionRule = "newest-run-decides" | "worst-location-decides";

/** Newest final verdict of one location. */
interface LocationVote {
  readonly location: string;
  readonly verdict: Verdict;
  readonly resultId: string;
  readonly atMs: number;
}

/**
 * Explanation of a status, stored with the status change. The explanation cannot be computed later:
 * the results are deleted after the retention period, but the last status change of a check is
 * kept.
 */
export interface StateDecision {
  readonly rule: DecisionRule;
  readonly votes: readonly LocationVote[];
  /** Reasons of the run that caused the change. */
  readonly reasons: readonly Reason[];
}

export const ruleOf = (runParallel: boolean): DecisionRule =>
  runParallel ? "worst-location-decides" : "newest-run-decides";

export function listVotes(locations: CheckState["locations"]): LocationVote[] {
  return Object.entries(locations).map(([location, vote]) => ({ location, ...vote }));
}

export function recordDecision(
  state: CheckState,
  run: { readonly runParallel: boolean; readonly reasons: readonly Reason[] },
): StateDecision {
  const { runParallel, reasons } = run;
  return { rule: ruleOf(runParallel), votes: listVotes(state.locations), reasons };
}

interface Explained {
  readonly status: Verdict;
  readonly rule: DecisionRule;
  readonly votes: readonly Pick<LocationVote, "location" | "verdict">[];
  /** Reasons of a run whose verdict equals the status; `null` if no such run is stored. */
  readonly reasons: readonly Reason[] | null;
}

const verdictTexts: Readonly<Record<Verdict, string>> = {
  failing: "failing",
  degraded: "degraded",
  passing: "passing",
  unknown: "without data",
};

/** Explains the status of a check in one or two sentences. */
export function explainState(
  kind: Pick<Kind, "explain" | "words">,
  { status, rule, votes, reasons }: Explained,
): string {
  const cause = reasons === null || reasons.length === 0 ? null : explainVerdict(kind, reasons);
  const places = rule === "worst-location-decides" ? comparePlaces(status, votes) : null;
  return [cause, places].filter((text) => text !== null).join(" ");
}

/**
 * Lists the locations by verdict, or returns `null` if all agree. The difference between locations
 * shows whether the target or the network has the problem.
 */
function comparePlaces(status: Verdict, votes: Explained["votes"]): string | null {
  const byVerdict = Map.groupBy(votes, ({ verdict }) => verdict);
  if (byVerdict.size < 2) return null;
  const own = [status, ...byVerdict.keys()].filter((verdict) => byVerdict.has(verdict));
  const clauses = [...new Set(own)].map((verdict) => {
    const places = (byVerdict.get(verdict) ?? []).map(({ location }) => location);
    return `${verdictTexts[verdict]} from ${places.join(", ")}`;
  });
  const text = clauses.join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
