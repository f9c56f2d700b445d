import { expect, type PayloadAssertion } from "../../../../kinds/kit/check-payloads.ts";
import type { Origin, ReadingBuilder } from "../../reading-builder.ts";
import { formatSeconds, maxFailedRuns, parseSeconds } from "../frequency.ts";
import { Row, toLogicalPart } from "../row.ts";
import { compileWhole, type Labels } from "./relabeling.ts";

/** Condition that a target violates when the alert fires. */
type Requirement =
  | { readonly kind: "success" }
  | { readonly kind: "certificate"; readonly days: number }
  | { readonly kind: "duration"; readonly ms: number }
  | { readonly kind: "status"; readonly assertions: readonly PayloadAssertion[] };

type Selects = (labels: Labels) => boolean;

export interface AlertRule {
  readonly origin: Origin;
  readonly requirement: Requirement;
  readonly selects: Selects;
  readonly forSeconds: number;
}

const maxExpressionLength = 2_000;
const selector = String.raw`(\{[^{}]*\})?`;
const number = String.raw`\d+(?:\.\d+)?`;
const success = new RegExp(`^probe_success${selector} (?:== 0|!= 1|< 1)$`);
const duration = new RegExp(`^probe_duration_seconds${selector} >=? (${number})$`);
const certificate = new RegExp(
  String.raw`^\(*probe_ssl_earliest_cert_expiry${selector} - time\(\)\)*((?: / ${number})*)\)* <=? ` +
    String.raw`(${number}(?: \* ${number})*)$`,
);
const status = new RegExp(String.raw`^probe_http_status_code${selector} (==|!=|<=?|>=?) (\d+)$`);

/** Removes comments and puts one space around operators, but not in quoted text. */
function normalise(expression: string): string {
  return expression
    .replaceAll(/("(?:[^"\\]|\\.)*")|#.*/g, (_, text = "") => text)
    .replaceAll(/("(?:[^"\\]|\\.)*")|\s*(==|!=|<=|>=|[<>*/-])\s*|\s+/g, (_, text, operator) =>
      text !== undefined ? text : operator === undefined ? " " : ` ${operator} `,
    )
    .trim();
}

const multiply = (text: string) =>
  (text.match(/\d+(?:\.\d+)?/g) ?? []).reduce((product, factor) => product * Number(factor), 1);

function translateStatus(operator: string, code: number): PayloadAssertion {
  switch (operator) {
    case "==":
      return expect.statusNot(code);
    case "!=":
      return expect.status(code);
    case "<":
      return expect.statusAbove(code - 1);
    case "<=":
      return expect.statusAbove(code);
    case ">":
      return expect.statusBelow(code + 1);
    default:
      return expect.statusBelow(code);
  }
}

interface Parsed {
  readonly requirement: Requirement;
  readonly selector: string;
}

function parseStatus(expression: string): Parsed | null {
  const parts = expression.split(/ or /i).map((part) => status.exec(part));
  const [first] = parts;
  const isSame = parts.every((part) => part !== null && part[1] === first?.[1]);
  if (!isSame) return null;
  const assertions = parts.flatMap((part) =>
    part === null ? [] : [translateStatus(part[2] ?? "", Number(part[3]))],
  );
  return { requirement: { kind: "status", assertions }, selector: first?.[1] ?? "" };
}

function parseExpression(expression: string): Parsed | null {
  const text = normalise(expression);
  const [isDown, downSelector = ""] = success.exec(text) ?? [];
  if (isDown !== undefined) return { requirement: { kind: "success" }, selector: downSelector };
  const [isSlow, slowSelector = "", seconds] = duration.exec(text) ?? [];
  if (isSlow !== undefined) {
    const ms = Math.round(Number(seconds) * 1_000);
    return { requirement: { kind: "duration", ms }, selector: slowSelector };
  }
  const [isExpiring, itsSelector = "", divisors = "", limit = ""] = certificate.exec(text) ?? [];
  if (isExpiring !== undefined) {
    const days = Math.ceil((multiply(limit) * multiply(divisors)) / 86_400);
    return { requirement: { kind: "certificate", days }, selector: itsSelector };
  }
  return parseStatus(text);
}

const matcherText = /^\s*(\w+) ?(=~|!~|=|!=) ?"((?:[^"\\]|\\.)*)"\s*$/;

/**
 * Parses a selector such as `{job="web", instance=~"https.*"}`; returns `null` if it is invalid.
 */
function parseSelector(text: string): Selects | null {
  const inner = text.replace(/^\{(.*)\}$/, "$1").trim();
  const parts = inner.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
  const tests = parts.map((part): Selects | null => {
    const [, name = "", operator, quoted = ""] = matcherText.exec(part) ?? [];
    const value = quoted.replaceAll(/\\(.)/g, "$1");
    const read = (labels: Labels) => labels.get(name) ?? "";
    if (operator === "=") return (labels) => read(labels) === value;
    if (operator === "!=") return (labels) => read(labels) !== value;
    const regex = operator === undefined ? null : compileWhole(value);
    if (regex === null) return null;
    return (labels) => regex.matcher(read(labels)).matches() === (operator === "=~");
  });
  const known = tests.filter((one) => one !== null);
  return known.length === tests.length ? (labels) => known.every((one) => one(labels)) : null;
}

function parseRule(builder: ReadingBuilder, row: Row, name: string): AlertRule | null {
  const origin = { origin: `prometheus/alert-${toLogicalPart(name)}`, name: `alert ${name}` };
  const expression = row.text("expr") ?? "";
  const isShort = expression.length <= maxExpressionLength;
  const parsed = isShort ? parseExpression(expression) : null;
  const selects = parsed === null ? null : parseSelector(parsed.selector);
  if (parsed === null || selects === null) {
    builder.leaveOut(origin, `Its expression has no counterpart: ${expression.slice(0, 150)}`);
    return null;
  }
  const forSeconds = parseSeconds(row.get("for")) ?? 0;
  return { origin, requirement: parsed.requirement, selects, forSeconds };
}

/**
 * Reads the alert rules of a file. Rules that do not concern probes are not imported, and the
 * report contains only their number.
 */
export function readAlertRules(builder: ReadingBuilder, groups: readonly unknown[]): AlertRule[] {
  const rows = groups.flatMap((group) => new Row(group).list("rules").map((rule) => new Row(rule)));
  const alerts = rows.filter((row) => row.text("alert") !== null);
  const ours = alerts.filter((row) => (row.text("expr") ?? "").includes("probe_"));
  if (alerts.length > ours.length) {
    const count = alerts.length - ours.length;
    builder.note(`Alert rules of other exporters are not imported (${count}).`);
  }
  return ours.flatMap((row) => parseRule(builder, row, row.text("alert") ?? "") ?? []);
}

const allowedMinutes = [5, 10, 15, 30];

interface Escalation {
  readonly failedRuns?: number;
  readonly failingMinutes?: number;
}

function decideEscalation(seconds: number, intervalSeconds: number): Escalation {
  if (allowedMinutes.includes(seconds / 60)) return { failingMinutes: seconds / 60 };
  const runs = Math.floor(seconds / intervalSeconds) + 1;
  if (runs <= maxFailedRuns) return { failedRuns: runs };
  const shorter = allowedMinutes.findLast((allowed) => allowed * 60 < seconds);
  return shorter === undefined ? { failedRuns: maxFailedRuns } : { failingMinutes: shorter };
}

const describe = ({ failedRuns, failingMinutes }: Escalation) =>
  failingMinutes === undefined
    ? `after ${failedRuns} failing ${failedRuns === 1 ? "run" : "runs"}`
    : `after ${failingMinutes} min`;

/** Converts the `for` duration of an alert rule to the alert settings of a check. */
export function toEscalation(
  { forSeconds }: AlertRule,
  intervalSeconds: number,
  report: (change: { readonly from: string; readonly to: string; readonly why: string }) => void,
): Escalation {
  const decided = decideEscalation(forSeconds, intervalSeconds);
  const isEqual = forSeconds === 0 || decided.failingMinutes === forSeconds / 60;
  if (!isEqual) {
    const why =
      decided.failedRuns === undefined
        ? "The next shorter time that a check can wait."
        : "Short times are counted in runs.";
    report({ from: `for ${formatSeconds(forSeconds)}`, to: describe(decided), why });
  }
  return decided;
}
