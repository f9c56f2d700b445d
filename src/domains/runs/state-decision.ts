import type { Kind } from "../../kinds/kind.ts";
import { explainVerdict } from "../../kinds/reason-text.ts";
import type { Reason, Verdict } from "../../kinds/verdict.ts";
import type { CheckState } from "./state.ts";

export type DecisionRule = "newest-run-decides" | "worst-location-decides";

/** What a location said last. */
export interface LocationVote {
  readonly location: string;
  readonly verdict: Verdict;
  readonly resultId: string;
  readonly atMs: number;
}

/** Why a check has a status: kept with the change, as single runs are forgotten earlier. */
export interface StateDecision {
  readonly rule: DecisionRule;
  readonly votes: readonly LocationVote[];
  /** Of the run that brought the change. */
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
  /** Of a run with that verdict; null: none is known any more. */
  readonly reasons: readonly Reason[] | null;
}

const said: Readonly<Record<Verdict, string>> = {
  failing: "failing",
  degraded: "degraded",
  passing: "passing",
  unknown: "without data",
};

/** Why a check has its status, in a sentence or two. */
export function explainState(
  kind: Pick<Kind, "explain" | "words">,
  { status, rule, votes, reasons }: Explained,
): string {
  const cause = reasons === null || reasons.length === 0 ? null : explainVerdict(kind, reasons);
  const places = rule === "worst-location-decides" ? comparePlaces(status, votes) : null;
  return [cause, places].filter((text) => text !== null).join(" ");
}

/** Only where locations disagree: that is what says whether it is the target or the network. */
function comparePlaces(status: Verdict, votes: Explained["votes"]): string | null {
  const byVerdict = Map.groupBy(votes, ({ verdict }) => verdict);
  if (byVerdict.size < 2) return null;
  const own = [status, ...byVerdict.keys()].filter((verdict) => byVerdict.has(verdict));
  const clauses = [...new Set(own)].map((verdict) => {
    const places = (byVerdict.get(verdict) ?? []).map(({ location }) => location);
    return `${said[verdict]} from ${places.join(", ")}`;
  });
  const text = clauses.join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
