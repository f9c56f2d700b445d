import type { NoDataKind, Outcome } from "../../contract/result.ts";
import type { IpFamily } from "../../platform/net/host.ts";
import { formatMilliseconds } from "../../platform/text/figures.ts";
import type { Assertion, AssertionResult } from "./assertions/assertion.ts";

export const verdicts = ["passing", "degraded", "failing", "unknown"] as const;
export type Verdict = (typeof verdicts)[number];

const noDataReasons = {
  "cannot-check": "probe-cannot-check",
  overloaded: "probe-overloaded",
  "too-late": "order-came-too-late",
  interrupted: "run-interrupted",
  "no-answer": "probe-silent",
  "no-probe": "no-probe-at-location",
} as const satisfies Readonly<Record<NoDataKind, string>>;
type NoDataReason = (typeof noDataReasons)[NoDataKind];

/** A named cause of a verdict, with its figures. Kinds add their own reasons to the shared ones. */
export interface Reason {
  readonly name: string;
  /** IP family that the reason is about. Present if the run measured both families. */
  readonly family?: IpFamily;
}

type TimeReason = "response-time-above-max" | "response-time-above-degraded";

/** Reason of a run in which one IP family works while the other fails. */
export interface OneFamilyFails {
  readonly name: "one-family-fails";
  readonly failing: IpFamily;
  readonly working: IpFamily;
}

/** Reasons that every kind may return. */
type SharedReason =
  | { readonly name: "all-within-limits" }
  | OneFamilyFails
  | { readonly name: TimeReason; readonly responseTimeMs: number; readonly limitMs: number }
  | {
      readonly name: "assertion-failed";
      /** Index of the assertion in the list of evaluated assertions. */
      readonly index: number;
      readonly assertion: Assertion;
      readonly actual: unknown;
      readonly message: string;
    }
  | { readonly name: "failed-as-expected" | "passed-against-expectation" }
  | { readonly name: NoDataReason; readonly message: string };

const sharedNames: ReadonlySet<string> = new Set<SharedReason["name"]>([
  "all-within-limits",
  "one-family-fails",
  "response-time-above-max",
  "response-time-above-degraded",
  "assertion-failed",
  "failed-as-expected",
  "passed-against-expectation",
  ...Object.values(noDataReasons),
]);

export function isSharedReason(reason: Reason): reason is SharedReason {
  return sharedNames.has(reason.name);
}

export const allWithinLimits: Reason = { name: "all-within-limits" };

export interface Judgement {
  readonly verdict: Verdict;
  /**
   * True if the network caused the failure, rather than a limit or an assertion. Retries can be
   * restricted to such runs.
   */
  readonly isNetworkError: boolean;
  /** Present if only one of two IP families failed. Such a run is retried like a failing run. */
  readonly hasFailedFamily?: true;
  /**
   * Reasons of the verdict, never empty. The deciding reason comes first; `failed-as-expected` and
   * `passed-against-expectation` come last.
   */
  readonly reasons: readonly Reason[];
}

/**
 * Judges a run by its reasons. The run is failing if there are failures, otherwise degraded if
 * there are flaws, otherwise passing.
 */
export function judgeByReasons(failures: readonly Reason[], flaws: readonly Reason[]): Judgement {
  if (failures.length > 0) return { verdict: "failing", isNetworkError: false, reasons: failures };
  if (flaws.length > 0) return { verdict: "degraded", isNetworkError: false, reasons: flaws };
  return { verdict: "passing", isNetworkError: false, reasons: [allWithinLimits] };
}

/** The settings of a check that affect the verdict in every kind. */
export interface VerdictSettings {
  readonly shouldFail: boolean;
  /** Response time limit in milliseconds; `null` if there is no limit. */
  readonly degradedResponseTime: number | null;
  readonly maxResponseTime: number | null;
}

/** Returns a reason if the response time exceeds the limit, otherwise an empty list. */
export function findSlowness(
  name: TimeReason,
  responseTimeMs: number | null,
  limitMs: number | null,
): SharedReason[] {
  if (limitMs === null || responseTimeMs === null || responseTimeMs <= limitMs) return [];
  return [{ name, responseTimeMs, limitMs }];
}

/** Returns a reason for each failed assertion. `results` must be in the order of `assertions`. */
export function findFailedAssertions(
  assertions: readonly Assertion[],
  results: readonly AssertionResult[],
): SharedReason[] {
  const failed: SharedReason[] = [];
  for (const [index, assertion] of assertions.entries()) {
    const result = results[index];
    if (result === undefined || result.passed) continue;
    const { actual, message } = result;
    failed.push({ name: "assertion-failed", index, assertion, actual, message });
  }
  return failed;
}

/** Judges runs that reached a conclusion about their target. */
export interface Judge<Settings extends VerdictSettings, Run> {
  judge(settings: Settings, run: Run): Judgement;
}

/**
 * Judges a run of any kind. The verdict is `unknown` if the run reached no conclusion about its
 * target.
 */
export function judgeConclusion<Settings extends VerdictSettings, Run extends { outcome: Outcome }>(
  kind: Judge<Settings, Run>,
  settings: Settings,
  run: Run,
): Judgement {
  const { outcome } = run;
  if (outcome.kind === "measured" || outcome.kind === "unreachable") {
    return kind.judge(settings, run);
  }
  const reason = { name: noDataReasons[outcome.kind], message: outcome.message };
  return { verdict: "unknown", isNetworkError: false, reasons: [reason] };
}

interface TroubleReason extends Reason {
  readonly code: string;
  readonly message: string;
}

/** Defines the reasons that a kind gives for runs without a measurement. */
interface TroubleRules {
  /** Names of reasons by the kind of the run's error (`Trouble.kind`). */
  readonly names: Readonly<Record<string, string>>;
  /** Name of the reason for kinds of errors that this version does not know. */
  readonly fallback: string;
  /** Names of reasons whose cause a retry cannot fix, in addition to `address-denied`. */
  readonly lasting?: readonly string[];
}

/** Reason for a denied address. A retry cannot change which addresses a probe may connect to. */
const alwaysLasting = "address-denied";

/**
 * Judges an outcome. If the target was unreachable, the run is failing and its error is the reason.
 */
export function judgeOutcome<Measurement>(
  outcome: Outcome<Measurement>,
  { names, fallback, lasting = [] }: TroubleRules,
  judgeMeasured: (measurement: Measurement) => Judgement,
): Judgement {
  if (outcome.kind === "measured") return judgeMeasured(outcome.measurement);
  if (outcome.kind !== "unreachable") {
    return { verdict: "failing", isNetworkError: true, reasons: [] };
  }
  const { kind, code, message } = outcome.trouble;
  const name = (Object.hasOwn(names, kind) ? names[kind] : undefined) ?? fallback;
  const reason: TroubleReason = { name, code, message };
  const isNetworkError = name !== alwaysLasting && !lasting.includes(name);
  return { verdict: "failing", isNetworkError, reasons: [reason] };
}

/** Judges a run by what the check expects: `shouldFail` swaps the verdicts passing and failing. */
export function judgeRun<Settings extends VerdictSettings, Run extends { outcome: Outcome }>(
  kind: Judge<Settings, Run>,
  settings: Settings,
  run: Run,
): Judgement {
  const judgement = judgeConclusion(kind, settings, run);
  return settings.shouldFail ? swap(judgement) : judgement;
}

function swap(judgement: Judgement): Judgement {
  const { verdict, reasons } = judgement;
  if (verdict === "failing") {
    const swapped = [...reasons, { name: "failed-as-expected" }];
    return { verdict: "passing", isNetworkError: false, reasons: swapped };
  }
  if (verdict === "passing") {
    const swapped = [...reasons, { name: "passed-against-expectation" }];
    return { verdict: "failing", isNetworkError: false, reasons: swapped };
  }
  return judgement;
}

/** Members of a kind that are needed to describe the reasons of a verdict as text. */
interface ReasonWords {
  explain(reason: Reason): string;
  readonly words: { readonly responseTime: string };
}

const maxCauses = 3;
const maxExtraDigits = 9;

/**
 * Formats a value above a limit with enough digits to differ from the limit. This avoids "100 ms,
 * above the limit of 100 ms".
 */
function writeAbove(valueMs: number, limitMs: number): string {
  const limit = writeLimit(limitMs);
  for (let extra = 0; extra <= maxExtraDigits; extra += 1) {
    const text = formatMilliseconds(valueMs, extra);
    if (text !== limit && text !== formatMilliseconds(limitMs, extra)) return text;
  }
  return `${valueMs} ms`;
}

/** Formats a limit with all entered digits: 1500 ms as "1.5 s", and 1234 ms as "1.234 s". */
function writeLimit(limitMs: number): string {
  return limitMs >= 1_000 ? `${limitMs / 1_000} s` : `${limitMs} ms`;
}

/** Formats a reason of a verdict as a clause without a full stop. */
export function describeReason(kind: ReasonWords, reason: Reason): string {
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

/**
 * Returns the first line of a message. Further lines are instructions, which are shown only with
 * the run itself.
 */
function firstLineOf(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}

/**
 * Formats the reasons of one verdict as a sentence. If the check expects a failure, the sentence
 * mentions only this expectation, because the other reasons explain the verdict before it was
 * swapped.
 */
export function explainVerdict(kind: ReasonWords, reasons: readonly Reason[]): string {
  const expected = reasons.filter(
    ({ name }) => name === "failed-as-expected" || name === "passed-against-expectation",
  );
  const causes = (expected.length > 0 ? expected : reasons).slice(0, maxCauses);
  const text = causes.map((reason) => describeReason(kind, reason)).join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
