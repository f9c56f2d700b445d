import { Type } from "typebox";
import { Described, OneOf } from "../../platform/http/schema.ts";
import { clipText } from "../../platform/text/clip.ts";
import { clipValue } from "./clip-value.ts";
import {
  type AssertionComparison,
  asksTheList,
  assertionComparisons,
  holds,
  holdsWhenAbsent,
  parseNumber,
} from "./comparisons.ts";
import type { JsonPathResult } from "./json-path.ts";
import { findRegexFault, matchRegex, maxRegexLength, RegexBudget } from "./regular-expression.ts";

/** A part of a result that assertions can refer to. Each kind has its own. */
export interface AssertionSource {
  readonly comparisons: readonly AssertionComparison[];
  /** Every target is a number, and there is no text for a regular expression. */
  readonly isNumeric: boolean;
  /** The property is a regular expression, as `regex` is. */
  readonly isText?: boolean;
  /** Keys are in lower case, and HAS_KEY finds them however they are written. */
  readonly hasLowerCaseKeys?: boolean;
  /** The rule that a property breaks, or null. */
  findPropertyFault(property: string): string | null;
  read(document: unknown, property: string): Found;
}

/** What a source has at a place, or why it cannot be read. */
export type Found =
  | JsonPathResult
  | {
      readonly kind: "fault";
      readonly fault: "not-json" | "too-long" | "not-a-regular-expression";
    };
export type AssertionSources = Readonly<Record<string, AssertionSource>>;

export const maxPropertyLength = 500;
export const maxTargetLength = 2_000;
/** CPU time for the assertions of one run. One that has begun is finished. */
export const maxCpuMs = 500;

/** The assertions of a kind at the wire. */
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
      comparison: Described(OneOf(assertionComparisons), "How it is compared.", "LESS_THAN"),
      target: Type.String({
        description: "What it is compared with.",
        examples: ["200"],
        maxLength: maxTargetLength,
        default: "",
      }),
      regex: Type.Optional(
        Type.Union([Type.String({ maxLength: maxRegexLength }), Type.Null()], {
          description:
            "A regular expression, as RE2 knows it. What its first group matches, or all of it " +
            "where it has none, is then compared. Empty or null: the whole value is.",
          default: "",
        }),
      ),
    },
    { title: words.title },
  );
}

export interface Assertion {
  readonly source: string;
  /** Which part of the source, such as a JSONPath. */
  readonly property: string;
  readonly comparison: AssertionComparison;
  readonly target: string;
  readonly regex?: string | null;
}

/** As sent by a client: only known to be strings. */
export interface UncheckedAssertion {
  readonly source: string;
  readonly property: string;
  readonly comparison: string;
  readonly target: string;
  readonly regex?: string | null;
}

export interface AssertionFault {
  readonly field: "source" | "property" | "comparison" | "target" | "regex";
  readonly rule: string;
}

export interface AssertionResult {
  readonly passed: boolean;
  /** Clipped to at most a screen of text. */
  readonly actual: unknown;
  readonly message: string;
}

/** What is wrong with the assertions of a request, each with the path of its field. */
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
    // A large expression takes long to refuse, and one refusal is enough.
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
    return "must be empty when property is a regular expression already";
  }
  return findRegexFault(regex);
}

function findSource(sources: AssertionSources, name: string): AssertionSource | undefined {
  return Object.hasOwn(sources, name) ? sources[name] : undefined;
}

/**
 * Never throws. What is missing fails the assertion, except where absence is what is claimed:
 * IS_NULL, IS_EMPTY, NOT_CONTAINS, NOT_HAS_KEY and NOT_HAS_VALUE hold of it. NOT_EQUALS does not:
 * it compares a value, and a mistyped path must not pass forever.
 *
 * Of a path that may match many, each match must hold; but whether it is empty or contains
 * something is asked of the list of matches.
 */
export function evaluateAssertion(
  sources: AssertionSources,
  assertion: Assertion,
  document: unknown,
  budget = new RegexBudget(),
): AssertionResult {
  try {
    const source = findSource(sources, assertion.source);
    if (source === undefined) return conclude(assertion, false, "is not known");
    const found = narrow(source, assertion, source.read(document, assertion.property), budget);
    if (found.kind === "fault") return conclude(assertion, false, describeFault(found.fault));
    if (found.kind === "missing") {
      return conclude(assertion, holdsWhenAbsent.has(assertion.comparison), "is missing");
    }
    if (found.kind === "value") {
      const actual = clipValue(found.value);
      const passed = holdsOf(source, assertion, found.value);
      return { ...conclude(assertion, passed, describe(actual)), actual };
    }
    const actual = clipValue(found.values);
    const passed = holdsOfList(source, assertion, found);
    const finding = found.values.length === 0 ? "matches nothing" : describe(actual);
    return { ...conclude(assertion, passed, finding), actual };
  } catch {
    return conclude(assertion, false, "could not be compared");
  }
}

/**
 * In the order of the assertions. Their regular expressions share one budget, and all of them the
 * time of a run: once it is over, those that are left fail and say why.
 */
export function evaluateAssertions(
  sources: AssertionSources,
  assertions: readonly Assertion[],
  document: unknown,
  isOverTime = () => false,
): AssertionResult[] {
  const budget = new RegexBudget();
  return assertions.map((assertion) => {
    if (isOverTime()) return conclude(assertion, false, outOfTime);
    return evaluateAssertion(sources, assertion, document, budget);
  });
}

const outOfTime = `was not compared, as earlier assertions took more than ${maxCpuMs} ms of CPU,`;

function holdsOf(source: AssertionSource, { comparison, target }: Assertion, value: unknown) {
  const isKey = comparison === "HAS_KEY" || comparison === "NOT_HAS_KEY";
  const foldsCase = isKey && source.hasLowerCaseKeys === true;
  return holds(comparison, value, foldsCase ? target.toLowerCase() : target);
}

function holdsOfList(source: AssertionSource, assertion: Assertion, list: FoundList): boolean {
  const { comparison } = assertion;
  if (asksTheList.has(comparison)) return holdsOf(source, assertion, list.values);
  const isPartial = list.values.length === 0 || list.lacksSome === true;
  if (isPartial && !holdsWhenAbsent.has(comparison)) return false;
  return list.values.every((value) => holdsOf(source, assertion, value));
}

interface FoundList {
  readonly kind: "list";
  readonly values: readonly unknown[];
  /** The regular expression found nothing in some of the values. */
  readonly lacksSome?: boolean;
}

/** What the regular expression of an assertion, if it has one, finds in what was found. */
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
  if (fault === "too-long") return "is longer than what is read of it";
  return `could not be read (${fault})`;
}

/** A hundred characters and the ellipsis. */
const maxShownLength = 101;

function conclude(assertion: Assertion, passed: boolean, finding: string): AssertionResult {
  const { source, property, comparison, target } = assertion;
  const subject = property === "" ? source : `${source} ${clipText(property, maxShownLength)}`;
  const wanted = demands[comparison](clipText(target, maxShownLength));
  return { passed, actual: null, message: `${subject} ${finding} and should ${wanted}` };
}

/** After "should". */
const demands: Readonly<Record<AssertionComparison, (target: string) => string>> = {
  EQUALS: (target) => `equal ${target}`,
  NOT_EQUALS: (target) => `not equal ${target}`,
  HAS_KEY: (target) => `have the key ${target}`,
  NOT_HAS_KEY: (target) => `not have the key ${target}`,
  HAS_VALUE: (target) => `have the value ${target}`,
  NOT_HAS_VALUE: (target) => `not have the value ${target}`,
  IS_EMPTY: () => "be empty",
  NOT_EMPTY: () => "not be empty",
  GREATER_THAN: (target) => `be greater than ${target}`,
  LESS_THAN: (target) => `be less than ${target}`,
  CONTAINS: (target) => `contain ${target}`,
  NOT_CONTAINS: (target) => `not contain ${target}`,
  IS_NULL: () => "be null",
  NOT_NULL: () => "not be null",
};

function describe(actual: unknown): string {
  return `is ${clipText(JSON.stringify(actual) ?? "nothing", maxShownLength)}`;
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
