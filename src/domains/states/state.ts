import type { Kind } from "../../kinds/kind.ts";
import type { Reason, Verdict } from "../../kinds/verdict.ts";
import { explainVerdict } from "../../kinds/verdict.ts";

interface LocationState {
  readonly verdict: Verdict;
  readonly resultId: string;
  readonly atMs: number;
}

/** A status that is interrupted, but not ended, by runs without data. */
interface KnownState {
  readonly status: Verdict;
  readonly sinceMs: number;
}

/** The current state of a check: a fold over its final results. */
export interface CheckState {
  readonly status: Verdict;
  /**
   * Due time of the run that started the status; an interruption without data does not reset it.
   */
  readonly sinceMs: number;
  /** Time of the newest change; after an interruption without data it is later than `sinceMs`. */
  readonly changedAtMs: number;
  /** The status before runs without data, until their locations have a verdict again. */
  readonly beforeUnknown: KnownState | null;
  readonly lastResultId: string;
  readonly lastRunLocation: string;
  readonly lastRunAtMs: number;
  /** Number of consecutive failed runs. Runs without a verdict neither increase nor reset it. */
  readonly consecutiveFailures: number;
  /** The newest final result of each current location. */
  readonly locations: Readonly<Record<string, LocationState>>;
}

type DecisionRule = "newest-run-decides" | "worst-location-decides";

/** The last verdict of a location. */
interface LocationVote {
  readonly location: string;
  readonly verdict: Verdict;
  readonly resultId: string;
  readonly atMs: number;
}

/** Why a check has a status. Stored with the change, because results are deleted earlier. */
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
  /** Reasons of a run with that verdict; `null` if no longer known. */
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

/** Only if locations disagree: this shows whether the target or the network is the problem. */
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
