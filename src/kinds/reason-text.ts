import { formatMilliseconds } from "../platform/text/figures.ts";
import type { Kind } from "./kind.ts";
import { isSharedReason, type Reason, type SharedReason } from "./verdict.ts";

const maxCauses = 3;

const maxExtraDigits = 9;

/**
 * Rounds a value, but never down to the limit that it exceeds ("100 ms, above the limit of 100
 * ms").
 */
function writeAbove(valueMs: number, limitMs: number): string {
  const limit = writeLimit(limitMs);
  for (let extra = 0; extra <= maxExtraDigits; extra += 1) {
    const text = formatMilliseconds(valueMs, extra);
    if (text !== limit && text !== formatMilliseconds(limitMs, extra)) return text;
  }
  return `${valueMs} ms`;
}

/** Keeps the precision that was entered: 1500 ms is "1.5 s", 1234 ms is "1.234 s". */
function writeLimit(limitMs: number): string {
  return limitMs >= 1_000 ? `${limitMs / 1_000} s` : `${limitMs} ms`;
}

/** Formats why a run got its verdict, as a clause without a full stop. */
export function describeReason(kind: Pick<Kind, "explain" | "words">, reason: Reason): string {
  const text = isSharedReason(reason)
    ? describeShared(reason, kind.words.responseTime)
    : kind.explain(reason);
  return reason.family === undefined ? text : `over ${reason.family}, ${text}`;
}

function describeShared(reason: SharedReason, responseTime: string): string {
  switch (reason.name) {
    case "response-time-above-max":
    case "response-time-above-degraded":
      return `the ${responseTime} took ${writeAbove(reason.responseTimeMs, reason.limitMs)}, above the limit of ${writeLimit(reason.limitMs)}`;
    case "assertion-failed":
      return `an assertion failed: ${reason.message}`;
    case "all-within-limits":
      return "everything was within its limits";
    case "one-family-fails":
      return `${reason.failing} fails, ${reason.working} works`;
    case "failed-as-expected":
      return "it failed, as this check expects";
    case "passed-against-expectation":
      return "it answered, while this check expects a failure";
    default:
      return `there was no measurement: ${firstLineOf(reason.message)}`;
  }
}

/** Further lines say what to do and are shown with the run itself. */
function firstLineOf(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}

/**
 * Formats the reasons of one verdict as a sentence. If a check expects a failure, only that
 * expectation is given, because the other reasons contradict the verdict.
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
