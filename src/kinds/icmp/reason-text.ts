import { roundFigure } from "../round-figure.ts";
import type { VerdictReason } from "./judge.ts";

const maxCauses = 3;

/** Rounded, but never to the limit that it is above: "100 ms, above the limit of 100 ms". */
function writeAbove(value: number, limit: number): string {
  const rounded = roundFigure(value);
  return `${rounded === limit ? value : rounded}`;
}

/** Why a run got its verdict: a clause without a full stop. The only place with these words. */
export function describeReason(reason: VerdictReason): string {
  switch (reason.name) {
    case "packet-loss-at-or-above-max":
    case "packet-loss-at-or-above-degraded":
      return reason.limitPercent === 0
        ? `${roundFigure(reason.lossPercent)} % of the packets were lost, and every run reaches the limit of 0 %`
        : `${roundFigure(reason.lossPercent)} % of the packets were lost, at or above the limit of ${reason.limitPercent} %`;
    case "response-time-above-max":
    case "response-time-above-degraded":
      return `the average round trip took ${writeAbove(reason.responseTimeMs, reason.limitMs)} ms, above the limit of ${reason.limitMs} ms`;
    case "name-not-resolved":
      return `the name could not be resolved (${reason.code}): ${reason.message}`;
    case "packets-not-sendable":
      return `no packet could be sent (${reason.code}): ${reason.message}`;
    case "assertion-failed":
      return `an assertion failed: ${reason.message}`;
    case "all-within-limits":
      return "everything was within its limits";
    case "failed-as-expected":
      return "it failed, as this check expects";
    case "passed-against-expectation":
      return "it answered, while this check expects a failure";
    default:
      return `there was no measurement: ${reason.message}`;
  }
}

/**
 * The reasons of one verdict as a sentence. Where a check expects a failure, the figures behind
 * the verdict say the opposite of it; only the expectation explains it.
 */
export function explainVerdict(reasons: readonly VerdictReason[]): string {
  const expected = reasons.filter(
    ({ name }) => name === "failed-as-expected" || name === "passed-against-expectation",
  );
  const causes = (expected.length > 0 ? expected : reasons).slice(0, maxCauses);
  const text = causes.map(describeReason).join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
