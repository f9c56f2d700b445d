import { RE2JS } from "re2js";
import { BoundedMap } from "../../../platform/bounded-map.ts";
import { clipText } from "../../../platform/text/clip.ts";

/**
 * Matches untrusted text against user-supplied regular expressions. The RE2 engine runs in time
 * linear in the length of the text. Expressions that RE2 does not support (look-ahead, look-behind,
 * back references) are rejected.
 */

export const maxRegexLength = 500;
/** Maximum program size of a compiled expression. Repetitions such as `a{100}` make it large. */
const maxProgramSize = 1_000;
/** Maximum estimated program size. A larger expression is rejected without being compiled. */
const maxEstimate = 100_000;
const maxCompiled = 1_000;
const maxShownLength = 101;

/**
 * Cost limit of the expressions of one run, in characters × program size. Matching up to this limit
 * takes a few tenths of a second.
 */
const maxStepsPerRun = 8_000_000;

/** Remaining cost that the regular expressions of one run may cause together. */
export class RegexBudget {
  #stepsLeft: number;

  constructor(steps = maxStepsPerRun) {
    this.#stepsLeft = steps;
  }

  /** Deducts steps from the budget. Returns false if the remaining budget is too small. */
  spend(steps: number): boolean {
    if (steps > this.#stepsLeft) return false;
    this.#stepsLeft -= steps;
    return true;
  }
}

type RegexMatch =
  /** Text of the first group, or of the whole match if the expression has no groups. */
  | { readonly kind: "match"; readonly text: string }
  | { readonly kind: "no-match" }
  | { readonly kind: "fault"; readonly fault: "not-a-regular-expression" | "too-much-work" };

/** Cache of compiled expressions, because every run of a check uses the same expressions. */
const compiled = new BoundedMap<string, RE2JS>(maxCompiled);

/** Returns the validation rule that the expression violates; `null` if the expression is valid. */
export function findRegexFault(pattern: string): string | null {
  if (pattern.length > maxRegexLength) return `must have at most ${maxRegexLength} characters`;
  const expression = compile(pattern);
  if (typeof expression === "string") return expression;
  return null;
}

export function matchRegex(pattern: string, text: string, budget: RegexBudget): RegexMatch {
  const expression = compile(pattern);
  if (typeof expression === "string") return { kind: "fault", fault: "not-a-regular-expression" };
  if (!budget.spend((text.length + 1) * expression.programSize())) {
    return { kind: "fault", fault: "too-much-work" };
  }
  const matcher = expression.matcher(text);
  if (!matcher.find()) return { kind: "no-match" };
  const group = expression.groupCount() > 0 ? matcher.group(1) : matcher.group();
  return group === null ? { kind: "no-match" } : { kind: "match", text: group };
}

/** Returns the compiled expression, or the validation rule that the expression violates. */
function compile(pattern: string): RE2JS | string {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > maxRegexLength || estimateSize(pattern) > maxEstimate) return tooLarge;
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
    if (expression.programSize() > maxProgramSize) return tooLarge;
    compiled.set(pattern, expression);
    return expression;
  } catch (error) {
    return describeFault(error);
  }
}

const tooLarge = "must be a simpler regular expression, with fewer or smaller repetitions";

/**
 * Estimates the compiled size. The counts of all repetitions are multiplied, because repetitions
 * may be nested. Their product is limited to 1,000.
 */
function estimateSize(pattern: string): number {
  let times = 1;
  for (const [, least = "", most = ""] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    times = Math.min(1_000, times * Math.max(1, Number(least), Number(most)));
  }
  return pattern.length * times;
}

function describeFault(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const cause = clipText(message.replace(/^error parsing regexp: /, ""), maxShownLength);
  return (
    "must be a regular expression in RE2 syntax, without look-ahead, look-behind and back " +
    `references (${cause})`
  );
}
