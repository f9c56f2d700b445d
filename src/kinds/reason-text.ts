import type { Kind } from "./kind.ts";
import { roundFigure } from "./round-figure.ts";
import { isSharedReason, type Reason, type SharedReason } from "./verdict.ts";

const maxCauses = 3;

/** Rounded, but never to the limit that it is above: "100 ms, above the limit of 100 ms". */
function writeAbove(value: number, limit: number): string {
  const rounded = roundFigure(value);
  return `${rounded === limit ? value : rounded}`;
}

/** Why a run got its verdict: a clause without a full stop. The only place with these words. */
export function describeReason(kind: Pick<Kind, "explain" | "words">, reason: Reason): string {
  return isSharedReason(reason)
    ? describeShared(reason, kind.words.responseTime)
    : kind.explain(reason);
}

function describeShared(reason: SharedReason, responseTime: string): string {
  switch (reason.name) {
    case "response-time-above-max":
    case "response-time-above-degraded":
      return `the ${responseTime} took ${writeAbove(reason.responseTimeMs, reason.limitMs)} ms, above the limit of ${reason.limitMs} ms`;
    case "assertion-failed":
      return `an assertion failed: ${reason.message}`;
    case "all-within-limits":
      return "everything was within its limits";
    case "failed-as-expected":
      return "it failed, as this check expects";
    case "passed-against-expectation":
      return "it answered, while this check expects a failure";
    default:
      return `there was no measurement: ${firstLineOf(reason.message)}`;
  }
}

/** What to do about it is in further lines, for whoever opens the run. */
function firstLineOf(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}

/**
 * The reasons of one verdict as a sentence. Where a check expects a failure, the figures behind
 * the verdict say the opposite of it; only the expectation explains it.
 */
export function explainVerdict(
  kind: Pick<Kind, "explain" | "words">,
  reasons: readonly Reason[],
): string {
  const expected = reasons.filter(
    ({ name }) => name === "failed-as-expected" || name === "passed-against-expectation",
  );
  const causes = (expected.length > 0 ? expected : reasons).slice(0, maxCauses);
  const text = causes.map((reason) => describeReason(kind, reason)).join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
