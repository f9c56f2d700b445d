import type { Measured, NoData, Outcome } from "../../contract/result.ts";
import { type Assertion, evaluateAssertion } from "../assertions/assertion.ts";
import type { IcmpDocument } from "./document.ts";

export const verdicts = ["passing", "degraded", "failing", "unknown"] as const;
export type Verdict = (typeof verdicts)[number];

export interface VerdictRules {
  readonly degradedPacketLossThreshold: number;
  readonly maxPacketLossThreshold: number;
  /** Null: not set by anybody, so the response time decides nothing. */
  readonly degradedResponseTimeMs: number | null;
  readonly maxResponseTimeMs: number | null;
  readonly assertions: readonly Assertion[];
  readonly shouldFail: boolean;
}

export type NoDataReason =
  | "probe-cannot-check"
  | "probe-overloaded"
  | "order-came-too-late"
  | "run-interrupted"
  | "probe-silent"
  | "no-probe-at-location";

type LossReason = "packet-loss-at-or-above-max" | "packet-loss-at-or-above-degraded";
type TimeReason = "response-time-above-max" | "response-time-above-degraded";

export type VerdictReason =
  | {
      readonly name: "name-not-resolved" | "packets-not-sendable";
      readonly code: string;
      readonly message: string;
    }
  | { readonly name: LossReason; readonly lossPercent: number; readonly limitPercent: number }
  | { readonly name: TimeReason; readonly responseTimeMs: number; readonly limitMs: number }
  | {
      readonly name: "assertion-failed";
      /** The place of the assertion in the list of the check. */
      readonly index: number;
      readonly assertion: Assertion;
      readonly actual: unknown;
      readonly message: string;
    }
  | { readonly name: "all-within-limits" }
  | { readonly name: "failed-as-expected" | "passed-against-expectation" }
  | { readonly name: NoDataReason; readonly message: string };

export interface Judgement {
  readonly verdict: Verdict;
  /** The failure is one of the network: packets lost, or none sent. Never one of an assertion. */
  readonly isNetworkError: boolean;
  /** Never empty. What decided comes first; what was expected otherwise comes last. */
  readonly reasons: readonly VerdictReason[];
}

const noDataReasons: Readonly<Record<NoData["kind"], NoDataReason>> = {
  "cannot-check": "probe-cannot-check",
  overloaded: "probe-overloaded",
  "too-late": "order-came-too-late",
  interrupted: "run-interrupted",
  "no-answer": "probe-silent",
  "no-probe": "no-probe-at-location",
};

/**
 * Failing before degraded before passing. `shouldFail` swaps passing and failing only: degraded
 * is between the two and stays, and where nothing was learned there is nothing to swap.
 */
export function decideVerdict(
  outcome: Outcome,
  document: IcmpDocument,
  rules: VerdictRules,
): Judgement {
  switch (outcome.kind) {
    case "measured":
      return swapWhenFailureIsWanted(judgeMeasured(outcome, document, rules), rules);
    case "unresolved":
    case "unsendable": {
      const name =
        outcome.kind === "unresolved"
          ? ("name-not-resolved" as const)
          : ("packets-not-sendable" as const);
      const reason = { name, code: outcome.code, message: outcome.message };
      const judged = { verdict: "failing", isNetworkError: true, reasons: [reason] } as const;
      return swapWhenFailureIsWanted(judged, rules);
    }
    default: {
      const reason = { name: noDataReasons[outcome.kind], message: outcome.message };
      return { verdict: "unknown", isNetworkError: false, reasons: [reason] };
    }
  }
}

function judgeMeasured(measured: Measured, document: IcmpDocument, rules: VerdictRules): Judgement {
  const lossPercent = measured.statistics.packetLossPercent;
  const failures = listFailures(measured, document, rules);
  if (failures.length > 0) {
    const isLossy = failures.some((reason) => reason.name === "packet-loss-at-or-above-max");
    // With the threshold at 0 a run fails without losing anything: no error of the network.
    return { verdict: "failing", isNetworkError: isLossy && lossPercent > 0, reasons: failures };
  }
  const flaws = [
    ...findLoss("packet-loss-at-or-above-degraded", lossPercent, rules.degradedPacketLossThreshold),
    ...findSlowness("response-time-above-degraded", measured, rules.degradedResponseTimeMs),
  ];
  if (flaws.length > 0) return { verdict: "degraded", isNetworkError: false, reasons: flaws };
  const reasons = [{ name: "all-within-limits" } as const];
  return { verdict: "passing", isNetworkError: false, reasons };
}

function listFailures(
  measured: Measured,
  document: IcmpDocument,
  rules: VerdictRules,
): VerdictReason[] {
  const lossPercent = measured.statistics.packetLossPercent;
  return [
    ...findLoss("packet-loss-at-or-above-max", lossPercent, rules.maxPacketLossThreshold),
    ...findSlowness("response-time-above-max", measured, rules.maxResponseTimeMs),
    ...rules.assertions.flatMap((assertion, index): VerdictReason[] => {
      const { passed, actual, message } = evaluateAssertion(assertion, document);
      return passed ? [] : [{ name: "assertion-failed", index, assertion, actual, message }];
    }),
  ];
}

function findLoss(name: LossReason, lossPercent: number, limitPercent: number): VerdictReason[] {
  return lossPercent >= limitPercent ? [{ name, lossPercent, limitPercent }] : [];
}

/** The response time is the average round trip; without a reply there is none. */
function findSlowness(
  name: TimeReason,
  measured: Measured,
  limitMs: number | null,
): VerdictReason[] {
  const responseTimeMs = measured.statistics.avgMs;
  if (limitMs === null || responseTimeMs === null || responseTimeMs <= limitMs) return [];
  return [{ name, responseTimeMs, limitMs }];
}

function swapWhenFailureIsWanted(judgement: Judgement, { shouldFail }: VerdictRules): Judgement {
  const { verdict, reasons } = judgement;
  if (!shouldFail) return judgement;
  if (verdict === "failing") {
    const swapped = [...reasons, { name: "failed-as-expected" } as const];
    return { verdict: "passing", isNetworkError: false, reasons: swapped };
  }
  if (verdict === "passing") {
    const swapped = [...reasons, { name: "passed-against-expectation" } as const];
    return { verdict: "failing", isNetworkError: false, reasons: swapped };
  }
  return judgement;
}
