import { RE2JS } from "re2js";
import { clipText } from "../../platform/text/clip.ts";

/**
 * Regular expressions of users over text of strangers. The engine is that of RE2: its time grows
 * with the length of the text, never with the number of ways to match it. What it cannot do in
 * such time (look-ahead, look-behind, back references) is refused.
 */

export const maxRegexLength = 500;
/** A program is what an expression compiles to; repetitions are written out in it. */
const maxProgramSize = 1_000;
/** Above this the expression is not even compiled. */
const maxEstimate = 100_000;
const maxCompiled = 1_000;
const maxShownLength = 101;

/** Characters × program size: some tenths of a second in the worst case. */
const maxStepsPerRun = 8_000_000;

/** What the expressions of one run may cost together. */
export class RegexBudget {
  #stepsLeft: number;

  constructor(steps = maxStepsPerRun) {
    this.#stepsLeft = steps;
  }

  /** False: the text is too long for what is left. */
  spend(steps: number): boolean {
    if (steps > this.#stepsLeft) return false;
    this.#stepsLeft -= steps;
    return true;
  }
}

export type RegexMatch =
  /** The first group that takes part in the match; without groups, all that matched. */
  | { readonly kind: "match"; readonly text: string }
  | { readonly kind: "no-match" }
  | { readonly kind: "fault"; readonly fault: "not-a-regular-expression" | "too-much-work" };

/** Every run of a check uses the same expressions. */
const compiled = new Map<string, RE2JS>();

/** The rule that an expression breaks, or null. */
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

/** The expression, or the rule that it breaks. */
function compile(pattern: string): RE2JS | string {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > maxRegexLength || estimateSize(pattern) > maxEstimate) return tooLarge;
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
    if (expression.programSize() > maxProgramSize) return tooLarge;
    if (compiled.size >= maxCompiled) compiled.clear();
    compiled.set(pattern, expression);
    return expression;
  } catch (error) {
    return describeFault(error);
  }
}

const tooLarge = "must be a simpler regular expression, with fewer or smaller repetitions";

/** Never too low: nested repetitions multiply, and the engine allows them up to a thousand. */
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
    "must be a regular expression as RE2 knows it, without look-ahead, look-behind and back " +
    `references (${cause})`
  );
}
