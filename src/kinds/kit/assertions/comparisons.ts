import { isDeepStrictEqual } from "node:util";

/**
 * Parses untrusted JSON; returns `null` if the text is invalid. Integers beyond the safe range
 * become text, because as numbers they could lose their last digits, so that different ids would
 * look equal. JSON that is nested too deeply for that keeps them as numbers.
 */
export function parseJsonBody(text: string): { readonly value: unknown } | null {
  try {
    return { value: hasLongNumber.test(text) ? parseExactly(text) : JSON.parse(text) };
  } catch {
    return null;
  }
}

const hasLongNumber = /\d{16}/;

function parseExactly(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    // Deep nesting overflows the stack only with a reviver, which makes `JSON.parse` recursive.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? source : value;
}

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

/** Comparisons that a missing value satisfies. EQUALS and NOT_EQUALS both need a value. */
export const holdsWhenAbsent: ReadonlySet<AssertionComparison> = new Set([
  "IS_NULL",
  "IS_EMPTY",
  "NOT_CONTAINS",
  "NOT_HAS_KEY",
  "NOT_HAS_VALUE",
]);

/** Comparisons that apply to a list of matches as a whole. All others apply to each match. */
export const appliesToList: ReadonlySet<AssertionComparison> = new Set([
  "IS_EMPTY",
  "NOT_EMPTY",
  "CONTAINS",
  "NOT_CONTAINS",
  "HAS_VALUE",
  "NOT_HAS_VALUE",
]);

/** Returns whether the value satisfies the comparison. The target is always text. */
export function holds(comparison: AssertionComparison, value: unknown, target: string): boolean {
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

/** Compares a value with a target, after converting the target to the type of the value. */
function isEqual(value: unknown, target: string): boolean {
  if (typeof value === "string") return value === target;
  if (typeof value === "number") return value === parseNumber(target);
  if (typeof value !== "object" || value === null) return String(value) === target.trim();
  const expected = parseJsonBody(target);
  return expected !== null && isDeepStrictEqual(value, expected.value);
}

/** Returns true for null, "", [] and {}. Zero and false are not empty. */
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

/**
 * Converts a value to a number. Anything else becomes NaN, which is neither greater nor less than
 * any number.
 */
function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" ? (parseNumber(value) ?? Number.NaN) : Number.NaN;
}

export function parseNumber(text: string): number | null {
  const trimmed = text.trim();
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return null;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
