import { Type } from "typebox";
import { Described, OneOf } from "../../../platform/http/schema.ts";
import {
  clipValue,
  describeActual,
  describeExpectation,
  describeSubject,
  type SourceText,
} from "./assertion-message.ts";
import {
  type AssertionComparison,
  appliesToList,
  assertionComparisons,
  holds,
  holdsWhenAbsent,
  parseNumber,
} from "./comparisons.ts";
import type { JsonPathResult } from "./json-path.ts";
import { findRegexFault, matchRegex, maxRegexLength, RegexBudget } from "./regular-expression.ts";

/** A part of a result that assertions can read. Each kind of check has its own sources. */
export interface AssertionSource {
  readonly text: SourceText;
  readonly comparisons: readonly AssertionComparison[];
  /** True if every target must be a number and regular expressions do not apply. */
  readonly isNumeric: boolean;
  /** True if the property of an assertion is a regular expression, like the field `regex`. */
  readonly isText?: boolean;
  /** True if all keys are in lower case, so that HAS_KEY ignores the case of its target. */
  readonly hasLowerCaseKeys?: boolean;
  /** Returns the validation rule that the property violates; `null` if the property is valid. */
  findPropertyFault(property: string): string | null;
  read(document: unknown, property: string): Found;
}

/** The value that a source read, or why no value could be read. */
type Found =
  | JsonPathResult
  | {
      readonly kind: "fault";
      readonly fault: "not-json" | "too-long" | "not-a-regular-expression";
    };
export type AssertionSources = Readonly<Record<string, AssertionSource>>;

const maxPropertyLength = 500;
const maxTargetLength = 2_000;
/**
 * CPU time limit for the assertions of one run in the evaluation thread. The limit is checked
 * before each assertion, so an evaluation that has started is completed.
 */
export const maxCpuMs = 500;

/** Creates the API schema of a kind's assertions. */
export function createAssertionSchema<Names extends string[]>(
  sources: readonly [...Names],
  words: {
    readonly title: string;
    readonly source: string;
    readonly property: string;
    readonly propertyExample: string;
  },
) {
  return Type.Object(
    {
      source: Described(OneOf(sources), words.source, sources[0]),
      property: Type.String({
        description: words.property,
        examples: [words.propertyExample],
        maxLength: maxPropertyLength,
        default: "",
      }),
      comparison: Described(OneOf(assertionComparisons), "The comparison operator.", "LESS_THAN"),
      target: Type.String({
        description: "The value to compare with.",
        examples: ["200"],
        maxLength: maxTargetLength,
        default: "",
      }),
      regex: Type.Optional(
        Type.Union([Type.String({ maxLength: maxRegexLength }), Type.Null()], {
          description:
            "A regular expression in RE2 syntax. Its first group, or the whole match if it has " +
            "no group, is compared. If empty or null, the whole value is compared.",
          default: "",
        }),
      ),
    },
    { title: words.title },
  );
}

export interface Assertion {
  readonly source: string;
  /** Part of the source to read, such as a JSONPath. */
  readonly property: string;
  readonly comparison: AssertionComparison;
  readonly target: string;
  readonly regex?: string | null;
}

/** An assertion that a client sent, before validation. */
interface UncheckedAssertion {
  readonly source: string;
  readonly property: string;
  readonly comparison: string;
  readonly target: string;
  readonly regex?: string | null;
}

interface AssertionFault {
  readonly field: "source" | "property" | "comparison" | "target" | "regex";
  readonly rule: string;
}

export interface AssertionResult {
  readonly passed: boolean;
  /** The compared value, shortened to a bounded size; `null` if no value could be read. */
  readonly actual: unknown;
  readonly message: string;
}

/** Returns the validation errors of the assertions, each with the path of its field. */
export function findAssertionFaults(
  sources: AssertionSources,
  assertions: readonly UncheckedAssertion[],
  path = "request.assertions",
): { readonly key: string; readonly rule: string }[] {
  const faults: { readonly key: string; readonly rule: string }[] = [];
  for (const [index, assertion] of assertions.entries()) {
    const fault = findAssertionFault(sources, assertion);
    if (fault === null) continue;
    faults.push({ key: `${path}.${index}.${fault.field}`, rule: fault.rule });
    // Validation stops at the first invalid regular expression, because it is slow to find out that
    // a large expression is invalid.
    if (fault.field === "regex") break;
  }
  return faults;
}

export function findAssertionFault(
  sources: AssertionSources,
  assertion: UncheckedAssertion,
): AssertionFault | null {
  const { property, comparison, target } = assertion;
  const source = findSource(sources, assertion.source);
  if (source === undefined) return fault("source", listRule(Object.keys(sources)));
  const comparisons: readonly string[] = source.comparisons;
  if (!comparisons.includes(comparison)) {
    return fault("comparison", `${listRule(comparisons)} when source is ${assertion.source}`);
  }
  if (target.length > maxTargetLength) return fault("target", lengthRule(maxTargetLength));
  if (property.length > maxPropertyLength) return fault("property", lengthRule(maxPropertyLength));
  const rule = source.findPropertyFault(property);
  if (rule !== null) return fault("property", rule);
  const regexRule = findRegexRule(source, assertion);
  if (regexRule !== null) return fault("regex", regexRule);
  const isNumeric = source.isNumeric || comparison === "GREATER_THAN" || comparison === "LESS_THAN";
  if (isNumeric && parseNumber(target) === null) return fault("target", "must be a number");
  return null;
}

function findRegexRule(source: AssertionSource, assertion: UncheckedAssertion): string | null {
  const regex = assertion.regex ?? "";
  if (regex === "") return null;
  if (source.isNumeric) return `must be empty when source is ${assertion.source}`;
  if (source.isText === true && assertion.property !== "") {
    return "must be empty when property is already a regular expression";
  }
  return findRegexFault(regex);
}

function findSource(sources: AssertionSources, name: string): AssertionSource | undefined {
  return Object.hasOwn(sources, name) ? sources[name] : undefined;
}

/**
 * Evaluates one assertion and never throws.
 *
 * A missing value fails the assertion, except for IS_NULL, IS_EMPTY, NOT_CONTAINS, NOT_HAS_KEY and
 * NOT_HAS_VALUE, which assert absence. A missing value also fails NOT_EQUALS, so that a mistyped
 * path does not pass forever.
 *
 * If a path matches several values, each value must satisfy the comparison. Comparisons in
 * `appliesToList` apply to the list of matches instead.
 */
export function evaluateAssertion(
  sources: AssertionSources,
  assertion: Assertion,
  document: unknown,
  budget = new RegexBudget(),
): AssertionResult {
  const end = (passed: boolean, found: { finding: string; actual?: unknown }) =>
    conclude(sources, assertion, passed, found);
  try {
    const source = findSource(sources, assertion.source);
    if (source === undefined) return end(false, { finding: "is not a known source" });
    const found = narrow(source, assertion, source.read(document, assertion.property), budget);
    if (found.kind === "fault") return end(false, { finding: describeFault(found.fault) });
    if (found.kind === "missing") {
      return end(holdsWhenAbsent.has(assertion.comparison), { finding: "is missing" });
    }
    if (found.kind === "value") {
      const actual = clipValue(found.value);
      const passed = holdsOf(source, assertion, found.value);
      return end(passed, { finding: describeActual(source, actual), actual });
    }
    const actual = clipValue(found.values);
    const passed = holdsOfList(source, assertion, found);
    const isEmpty = found.values.length === 0;
    const finding = isEmpty ? "matches nothing" : describeActual(source, actual);
    return end(passed, { finding, actual });
  } catch {
    return end(false, { finding: "could not be compared" });
  }
}

/**
 * Evaluates assertions in order. Their regular expressions share one cost budget. Once the CPU time
 * limit is reached, the remaining assertions fail with a message that names the limit.
 */
export function evaluateAssertions(
  sources: AssertionSources,
  assertions: readonly Assertion[],
  document: unknown,
  isOverTime = () => false,
): AssertionResult[] {
  const budget = new RegexBudget();
  return assertions.map((assertion) => {
    if (isOverTime()) return conclude(sources, assertion, false, { finding: outOfTime });
    return evaluateAssertion(sources, assertion, document, budget);
  });
}

const outOfTime = `was not evaluated because earlier assertions used ${maxCpuMs} ms of CPU time`;

function holdsOf(source: AssertionSource, { comparison, target }: Assertion, value: unknown) {
  const isKey = comparison === "HAS_KEY" || comparison === "NOT_HAS_KEY";
  const foldsCase = isKey && source.hasLowerCaseKeys === true;
  return holds(comparison, value, foldsCase ? target.toLowerCase() : target);
}

function holdsOfList(source: AssertionSource, assertion: Assertion, list: FoundList): boolean {
  const { comparison } = assertion;
  if (appliesToList.has(comparison)) return holdsOf(source, assertion, list.values);
  const isPartial = list.values.length === 0 || list.lacksSome === true;
  if (isPartial && !holdsWhenAbsent.has(comparison)) return false;
  return list.values.every((value) => holdsOf(source, assertion, value));
}

interface FoundList {
  readonly kind: "list";
  readonly values: readonly unknown[];
  /** True if at least one of the values does not match the regular expression. */
  readonly lacksSome?: boolean;
}

/** Applies the assertion's regular expression, if any, to the values that the source read. */
function narrow(
  source: AssertionSource,
  { property, regex }: Assertion,
  found: Found,
  budget: RegexBudget,
): Found | FoundList {
  const pattern = regex || (source.isText === true ? property : "");
  if (pattern === "" || source.isNumeric || found.kind === "fault" || found.kind === "missing") {
    return found;
  }
  const values = found.kind === "value" ? [found.value] : found.values;
  const matched: string[] = [];
  for (const value of values) {
    const match = matchRegex(pattern, toText(value), budget);
    if (match.kind === "fault") return match;
    if (match.kind === "match") matched.push(match.text);
  }
  if (found.kind === "list") {
    return { kind: "list", values: matched, lacksSome: matched.length < values.length };
  }
  return matched.length === 0 ? { kind: "missing" } : { kind: "value", value: matched[0] };
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function describeFault(fault: (Found & { kind: "fault" })["fault"]): string {
  if (fault === "not-json") return "is not JSON";
  if (fault === "too-long") return "exceeds the maximum size that is read";
  if (fault === "not-a-regular-expression") return "was not matched (invalid regular expression)";
  return "was not evaluated (the expression needs too much work)";
}

function conclude(
  sources: AssertionSources,
  assertion: Assertion,
  passed: boolean,
  { finding, actual = null }: { readonly finding: string; readonly actual?: unknown },
): AssertionResult {
  const source = findSource(sources, assertion.source) ?? { text: { label: assertion.source } };
  const subject = describeSubject(source, assertion);
  const expectation = describeExpectation(source, assertion, actual);
  return { passed, actual, message: `${subject} ${finding}, expected ${expectation}` };
}

function fault(field: AssertionFault["field"], rule: string): AssertionFault {
  return { field, rule };
}

export function listRule(values: readonly string[]): string {
  return `must be one of ${values.join(", ")}`;
}

function lengthRule(most: number): string {
  return `must have at most ${most} characters`;
}
