import {
  type Comparison,
  expect,
  type PayloadAssertion,
} from "../../../../kinds/check-payloads.ts";
import { parseSeconds } from "../durations.ts";
import { toJsonPath } from "../json-path.ts";

/** What a condition becomes; `null` if it has no counterpart. */
export interface Translated {
  readonly assertions: readonly PayloadAssertion[];
  /** Days before the expiry of the certificate at which to alert. */
  readonly certificateDays?: number;
}

const nothing: Translated = { assertions: [] };
const only = (assertion: PayloadAssertion): Translated => ({ assertions: [assertion] });

const comparisons: Readonly<Record<string, Comparison>> = {
  "==": "EQUALS",
  "!=": "NOT_EQUALS",
  ">": "GREATER_THAN",
  "<": "LESS_THAN",
};

function translateStatus(operator: string, right: string): Translated | null {
  const code = Number(right);
  if (!Number.isInteger(code)) return null;
  switch (operator) {
    case "==":
      return only(expect.status(code));
    case "!=":
      return only(expect.statusNot(code));
    case "<":
      return only(expect.statusBelow(code));
    case "<=":
      return only(expect.statusBelow(code + 1));
    case ">":
      return only(expect.statusAbove(code));
    default:
      return only(expect.statusAbove(code - 1));
  }
}

function translateBody(operator: string, right: string, isAnswer: boolean): Translated | null {
  const equals = operator === "==";
  if (!equals && operator !== "!=") return null;
  const [, part] = /^pat\(\*([^*?]+)\*\)$/.exec(right) ?? [];
  if (isAnswer) {
    const text = part ?? right;
    return /[*?()]/.test(text)
      ? null
      : only(expect.answer(equals ? "CONTAINS" : "NOT_CONTAINS", text));
  }
  if (part !== undefined) return only(equals ? expect.bodyContains(part) : expect.bodyLacks(part));
  if (/^(?:pat|any)\(/.test(right)) return null;
  return only(expect.body(equals ? "EQUALS" : "NOT_EQUALS", right));
}

function translatePath(path: string, operator: string, right: string): Translated | null {
  const converted = toJsonPath(path);
  const comparison = comparisons[operator];
  if (converted === null || comparison === undefined || /^(?:pat|any)\(/.test(right)) return null;
  return only(expect.json(converted, comparison, right.replace(/^"(.*)"$/, "$1")));
}

/** Translates a condition such as `[STATUS] == 200`. */
export function translateCondition(text: string, isDns: boolean): Translated | null {
  const [, left = "", operator = "", right = ""] =
    /^(.*?) (==|!=|<=|>=|<|>) (.*)$/.exec(text.trim()) ?? [];
  if (left === "[STATUS]") return translateStatus(operator, right);
  if (left === "[CONNECTED]") return operator === "==" && right === "true" ? nothing : null;
  if (left === "[RESPONSE_TIME]") {
    const ms = Number(right);
    if (!Number.isFinite(ms)) return null;
    if (operator === "<") return only(expect.responseTimeBelow(ms));
    if (operator === "<=") return only(expect.responseTimeBelow(ms + 1));
    return operator === ">" ? only(expect.responseTimeAbove(ms)) : null;
  }
  if (left === "[CERTIFICATE_EXPIRATION]") {
    const seconds = parseSeconds(right);
    const isMinimum = operator === ">" || operator === ">=";
    if (seconds === null || !isMinimum) return null;
    return { assertions: [], certificateDays: Math.ceil(seconds / 86_400) };
  }
  if (left === "[DNS_RCODE]") return operator === "==" ? only(expect.responseCode(right)) : null;
  if (left === "[BODY]") return translateBody(operator, right, isDns);
  if (left.startsWith("[BODY].")) return translatePath(left.slice(7), operator, right);
  return left.startsWith("[BODY][") ? translatePath(left.slice(6), operator, right) : null;
}
