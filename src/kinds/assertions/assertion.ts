import { isDeepStrictEqual } from "node:util";
import { Type } from "typebox";
import { Described, OneOf } from "../../platform/http/schema.ts";
import { clipText } from "../../platform/text/clip.ts";
import { clipValue } from "./clip-value.ts";
import type { JsonPathResult } from "./json-path.ts";

export const numericComparisons = ["EQUALS", "NOT_EQUALS", "GREATER_THAN", "LESS_THAN"] as const;

export const textComparisons = [
  ...numericComparisons,
  "IS_EMPTY",
  "NOT_EMPTY",
  "CONTAINS",
  "NOT_CONTAINS",
] as const;

export const assertionComparisons = [
  ...textComparisons,
  "IS_NULL",
  "NOT_NULL",
  "HAS_KEY",
  "NOT_HAS_KEY",
  "HAS_VALUE",
  "NOT_HAS_VALUE",
] as const;
export type AssertionComparison = (typeof assertionComparisons)[number];

/** A part of a result that assertions can refer to. Each kind has its own. */
export interface AssertionSource {
  readonly comparisons: readonly AssertionComparison[];
  /** Every target is a number. */
  readonly isNumeric: boolean;
  /** The rule that a property breaks, or null. */
  findPropertyFault(property: string): string | null;
  read(document: unknown, property: string): JsonPathResult;
}
export type AssertionSources = Readonly<Record<string, AssertionSource>>;

export const maxPropertyLength = 500;
export const maxTargetLength = 2_000;

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
      /** Kept for clients that send it; a pattern is never run. */
      regex: Type.Optional(
        Type.Union([Type.String({ maxLength: maxPropertyLength }), Type.Null()], {
          description: "Kept for clients that send it.",
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
}

export interface AssertionFault {
  readonly field: "source" | "property" | "comparison" | "target";
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
): { readonly key: string; readonly rule: string }[] {
  return assertions.flatMap((assertion, index) => {
    const fault = findAssertionFault(sources, assertion);
    if (fault === null) return [];
    return [{ key: `request.assertions.${index}.${fault.field}`, rule: fault.rule }];
  });
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
  const isNumeric = source.isNumeric || comparison === "GREATER_THAN" || comparison === "LESS_THAN";
  if (isNumeric && parseNumber(target) === null) return fault("target", "must be a number");
  return null;
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
): AssertionResult {
  try {
    const source = findSource(sources, assertion.source);
    const found = source?.read(document, assertion.property) ?? { kind: "missing" };
    if (found.kind === "fault")
      return conclude(assertion, false, `could not be read (${found.fault})`);
    if (found.kind === "missing") {
      return conclude(assertion, holdsWhenAbsent.has(assertion.comparison), "is missing");
    }
    if (found.kind === "value") {
      const actual = clipValue(found.value);
      return { ...conclude(assertion, holds(assertion, found.value), describe(actual)), actual };
    }
    const actual = clipValue(found.values);
    if (found.values.length === 0 && !asksTheList.has(assertion.comparison)) {
      const passed = holdsWhenAbsent.has(assertion.comparison);
      return { ...conclude(assertion, passed, "matches nothing"), actual };
    }
    const passed = asksTheList.has(assertion.comparison)
      ? holds(assertion, found.values)
      : found.values.every((value) => holds(assertion, value));
    return { ...conclude(assertion, passed, describe(actual)), actual };
  } catch {
    return conclude(assertion, false, "could not be compared");
  }
}

const holdsWhenAbsent: ReadonlySet<AssertionComparison> = new Set([
  "IS_NULL",
  "IS_EMPTY",
  "NOT_CONTAINS",
  "NOT_HAS_KEY",
  "NOT_HAS_VALUE",
]);

const asksTheList: ReadonlySet<AssertionComparison> = new Set([
  "IS_EMPTY",
  "NOT_EMPTY",
  "CONTAINS",
  "NOT_CONTAINS",
  "HAS_VALUE",
  "NOT_HAS_VALUE",
]);

function holds({ comparison, target }: Assertion, value: unknown): boolean {
  switch (comparison) {
    case "EQUALS":
      return isEqual(value, target);
    case "NOT_EQUALS":
      return !isEqual(value, target);
    case "GREATER_THAN":
      return toNumber(value) > toNumber(target);
    case "LESS_THAN":
      return toNumber(value) < toNumber(target);
    case "IS_EMPTY":
      return isEmpty(value);
    case "NOT_EMPTY":
      return !isEmpty(value);
    case "CONTAINS":
      return contains(value, target);
    case "NOT_CONTAINS":
      return !contains(value, target);
    case "IS_NULL":
      return value === null;
    case "NOT_NULL":
      return value !== null;
    case "HAS_KEY":
      return hasKey(value, target);
    case "NOT_HAS_KEY":
      return !hasKey(value, target);
    case "HAS_VALUE":
      return hasValue(value, target);
    case "NOT_HAS_VALUE":
      return !hasValue(value, target);
  }
}

/** Targets are text, so they are read as what they are compared with. */
function isEqual(value: unknown, target: string): boolean {
  if (typeof value === "string") return value === target;
  if (typeof value === "number") return value === parseNumber(target);
  if (typeof value !== "object" || value === null) return String(value) === target.trim();
  const wanted = parseJson(target);
  return wanted !== undefined && isDeepStrictEqual(value, wanted);
}

/** Null, an empty text, an empty list and an empty object. Zero and false are not empty. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

function contains(value: unknown, target: string): boolean {
  if (Array.isArray(value)) return value.some((item) => isEqual(item, target));
  if (typeof value === "object") return false;
  return String(value).includes(target);
}

function hasKey(value: unknown, target: string): boolean {
  return isRecord(value) && Object.hasOwn(value, target);
}

function hasValue(value: unknown, target: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((item) => isEqual(item, target));
}

/** Text that is a number counts as one; whatever else is not comparable. */
function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" ? (parseNumber(value) ?? Number.NaN) : Number.NaN;
}

function parseNumber(text: string): number | null {
  const trimmed = text.trim();
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return null;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A hundred characters and the ellipsis. */
const maxShownLength = 101;

function conclude(assertion: Assertion, passed: boolean, finding: string): AssertionResult {
  const { source, property, comparison, target } = assertion;
  const subject = property === "" ? source : `${source} ${clipText(property, maxShownLength)}`;
  const wanted = `${comparison} ${clipText(target, maxShownLength)}`.trim();
  return { passed, actual: null, message: `${subject} ${finding}; wanted ${wanted}` };
}

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
