/** Functions for the sentences that describe what a check does. */
import { getList, getNumber, getText, type ValueAt } from "../parts/fields.ts";
import type { AnyValues, CheckType, CheckValues } from "./form-values.ts";

export function formatLimitMs(ms: number): string {
  if (ms >= 1_000 && ms % 100 === 0) return `${ms / 1_000} s`;
  return `${ms} ms`;
}

export function formatInterval(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  if (seconds < 3_600) return seconds === 60 ? "minute" : `${seconds / 60} minutes`;
  return seconds === 3_600 ? "hour" : `${seconds / 3_600} hours`;
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Joins words: "a, b and c". */
export function joinWords(words: readonly string[], and = "and"): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${and} ${words.at(-1)}`;
}

/** Formats the setting `ipFamily`; `BOTH` becomes "IPv4 and IPv6". */
export function formatFamily(ipFamily: string): string {
  return ipFamily === "BOTH" ? "IPv4 and IPv6" : ipFamily;
}

/** Describes when a run over IPv4 and IPv6 is degraded. */
export function describeFamilies(values: AnyValues): string[] {
  if (getText(values, "request.ipFamily") !== "BOTH") return [];
  return ["It is degraded if only one of IPv4 and IPv6 fails."];
}

export const unnamed = "the target";

/** Describes the response time limits that most check types have. */
export function describeTimeLimits(values: AnyValues): string[] {
  const degraded = getNumber(values, "degradedResponseTime");
  const failing = getNumber(values, "maxResponseTime");
  const sentences: string[] = [];
  if (failing !== null)
    sentences.push(`It fails if the response takes longer than ${formatLimitMs(failing)}.`);
  if (degraded !== null && (failing === null || degraded < failing)) {
    sentences.push(`It is degraded if the response takes longer than ${formatLimitMs(degraded)}.`);
  }
  if (degraded === null && failing === null) sentences.push("There is no response time limit.");
  return sentences;
}

const comparisonWords: Readonly<Record<string, string>> = {
  EQUALS: "equals",
  NOT_EQUALS: "does not equal",
  GREATER_THAN: "is greater than",
  LESS_THAN: "is less than",
  IS_EMPTY: "is empty",
  NOT_EMPTY: "is not empty",
  CONTAINS: "contains",
  NOT_CONTAINS: "does not contain",
  IS_NULL: "is null",
  NOT_NULL: "is not null",
  HAS_KEY: "has the key",
  NOT_HAS_KEY: "does not have the key",
  HAS_VALUE: "has the value",
  NOT_HAS_VALUE: "does not have the value",
};

export const comparisons = Object.keys(comparisonWords);
const withoutTarget = new Set(["IS_EMPTY", "NOT_EMPTY", "IS_NULL", "NOT_NULL"]);

export const needsTarget = (comparison: string) => !withoutTarget.has(comparison);
export const formatComparison = (comparison: string) => comparisonWords[comparison] ?? comparison;

/** Formats a source that has no label: "JSON_BODY" → "JSON body", "STATUS_CODE" → "status code". */
export function formatSource(source: string): string {
  const words = source.toLowerCase().replaceAll("_", " ");
  return words.replace(/\b(?:json|xml|tls|ip|dns|ttl)\b/g, (name) => name.toUpperCase());
}

const figures = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 });

/** Formats a measured value. A number with decimals has at most four significant digits. */
export function formatActual(value: unknown): string {
  if (typeof value === "number" && !Number.isInteger(value)) return figures.format(value);
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** An assertion of any check type. Any field may be missing, as in a draft. */
export interface AnyAssertion {
  readonly source?: string | undefined;
  readonly property?: string | undefined;
  readonly comparison?: string | undefined;
  readonly target?: string | undefined;
}

/** Names of the assertion sources of a check type. */
export type SourceOf<Values> = ValueAt<Values, `request.assertions.${number}.source`> & string;

/** Labels of the assertion sources of a check type. */
export type SourceLabels<Type extends CheckType> = Readonly<
  Record<SourceOf<CheckValues<Type>>, string>
>;

/** Formats an assertion, such as "status code equals 200". `sources` has the labels. */
export function formatAssertion(
  assertion: AnyAssertion,
  sources: Readonly<Record<string, string>>,
): string {
  const source = getText(assertion, "source");
  const property = getText(assertion, "property");
  const comparison = getText(assertion, "comparison");
  const what = `${sources[source] ?? formatSource(source)}${property === "" ? "" : ` (${property})`}`;
  const target = needsTarget(comparison) ? ` ${getText(assertion, "target") || "…"}` : "";
  return `${what} ${formatComparison(comparison)}${target}`;
}

const maxListed = 5;

export function describeAssertions(
  values: AnyValues,
  sources: Readonly<Record<string, string>>,
): readonly string[] {
  const all: readonly AnyAssertion[] = getList(values, "request.assertions");
  if (all.length === 0) return [];
  const listed = all.slice(0, maxListed).map((assertion) => formatAssertion(assertion, sources));
  const more = all.length > maxListed ? [`${all.length - maxListed} more`] : [];
  return [`It fails unless ${joinWords([...listed, ...more])}.`];
}
