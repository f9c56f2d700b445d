/** Formats an assertion result as text, such as "Status code is 401, expected 200". */
import { clipText } from "../../../platform/text/clip.ts";
import type { AssertionComparison } from "./comparisons.ts";

const maxTextLength = 500;
const maxNodes = 100;
const maxDepth = 6;

/** Shortens a JSON value to a bounded size. The result is valid JSON. */
export function clipValue(value: unknown): unknown {
  return clipNode(value, { nodesLeft: maxNodes, depth: 0 });
}

interface Budget {
  nodesLeft: number;
  readonly depth: number;
}

function clipNode(value: unknown, budget: Budget): unknown {
  budget.nodesLeft -= 1;
  if (typeof value === "string") {
    return withoutNul(clipText(value, maxTextLength + 1));
  }
  // Numbers that overflow to infinity, such as 1e999, become text, because JSON has no infinity.
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return null;
  if (budget.depth >= maxDepth) return "…";
  const inner: Budget = { nodesLeft: budget.nodesLeft, depth: budget.depth + 1 };
  const clipped = Array.isArray(value) ? clipList(value, inner) : clipRecord(value, inner);
  budget.nodesLeft = inner.nodesLeft;
  return clipped;
}

/** Replaces NUL by the symbol for NUL, because PostgreSQL cannot store NUL in JSON. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "␀");
}

function clipList(values: readonly unknown[], budget: Budget): unknown[] {
  const kept: unknown[] = [];
  for (const value of values) {
    if (budget.nodesLeft <= 0) return [...kept, "…"];
    kept.push(clipNode(value, budget));
  }
  return kept;
}

function clipRecord(record: object, budget: Budget): Record<string, unknown> {
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(record)) {
    if (budget.nodesLeft <= 0) {
      kept.push(["…", "…"]);
      break;
    }
    kept.push([withoutNul(key.slice(0, maxTextLength)), clipNode(value, budget)]);
  }
  return Object.fromEntries(kept);
}

/** The fields of an assertion that its message shows. */
interface DescribedAssertion {
  readonly property: string;
  readonly comparison: AssertionComparison;
  readonly target: string;
  readonly regex?: string | null;
}

/** Words that describe a source in messages. */
export interface SourceText {
  /** Name of the source in lower case, for use inside a sentence. */
  readonly label: string;
  /** Replaces `label` if the assertion has a property. */
  readonly labelOfOne?: string;
  /** Labels of known properties. Any other property is appended to the label of the source. */
  readonly properties?: Readonly<Record<string, string>>;
  readonly unit?: string;
}

/** The part of a source that is needed to format its messages. */
interface DescribedSource {
  readonly text: SourceText;
  /** True if the property of an assertion is a regular expression. */
  readonly isText?: boolean;
}

/** Maximum length of a value in a message: 100 characters and an ellipsis. */
const maxShownLength = 101;

const clip = (text: string) => clipText(text, maxShownLength);

export function describeSubject(
  { text, isText = false }: DescribedSource,
  { property, regex }: DescribedAssertion,
): string {
  const pattern = regex || (isText ? property : "");
  const place = describePlace(text, isText ? "" : property);
  const subject = pattern === "" ? place : `match of /${clip(pattern)}/ in ${place}`;
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`;
}

function describePlace(
  { label, labelOfOne = label, properties = {} }: SourceText,
  property: string,
): string {
  if (property === "") return label;
  const known = Object.hasOwn(properties, property) ? properties[property] : undefined;
  return known ?? `${labelOfOne} ${clip(property)}`;
}

const addUnit = ({ unit }: SourceText, text: string) =>
  unit === undefined ? text : `${text} ${unit}`;

export function describeActual({ text }: DescribedSource, actual: unknown): string {
  const value = clip(JSON.stringify(actual) ?? "nothing");
  return `is ${typeof actual === "number" ? addUnit(text, value) : value}`;
}

/**
 * Formats the text after "expected" in a message. The target is quoted if it is empty or if the
 * actual value is text.
 */
export function describeExpectation(
  { text }: DescribedSource,
  { comparison, target }: DescribedAssertion,
  actual: unknown,
): string {
  const clipped = clip(target);
  const isQuoted = typeof actual === "string" || clipped === "";
  return expectations[comparison](isQuoted ? JSON.stringify(clipped) : addUnit(text, clipped));
}

const expectations: Readonly<Record<AssertionComparison, (target: string) => string>> = {
  EQUALS: (target) => target,
  NOT_EQUALS: (target) => `any value except ${target}`,
  HAS_KEY: (target) => `to have the key ${target}`,
  NOT_HAS_KEY: (target) => `not to have the key ${target}`,
  HAS_VALUE: (target) => `to have the value ${target}`,
  NOT_HAS_VALUE: (target) => `not to have the value ${target}`,
  IS_EMPTY: () => "to be empty",
  NOT_EMPTY: () => "not to be empty",
  GREATER_THAN: (target) => `greater than ${target}`,
  LESS_THAN: (target) => `less than ${target}`,
  CONTAINS: (target) => `to contain ${target}`,
  NOT_CONTAINS: (target) => `not to contain ${target}`,
  IS_NULL: () => "null",
  NOT_NULL: () => "not null",
};
