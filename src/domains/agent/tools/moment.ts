import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { invalid } from "../../../platform/errors.ts";
import { ruleKey } from "../../../platform/http/schema-rules.ts";

const relativePattern = "^(?:now)?(?:[+-]\\d{1,6}[smhdw])?$";

export const momentForms =
  "ISO 8601 in UTC (2026-01-31T08:00:00Z), or relative to now: -24h, -90m, -7d, +2w, now";

/** What a parameter takes as a moment. */
export function Moment(description: string) {
  return Type.Unsafe<string>({
    type: "string",
    minLength: 1,
    maxLength: 40,
    anyOf: [
      { format: "date-time" },
      { format: "date" },
      { pattern: relativePattern, [ruleKey]: "must be relative to now, such as -24h" },
    ],
    description: `${description}. ${momentForms}`,
  });
}

export const From = Moment("The beginning");
export const To = Moment("The end, not included; now if not given");

export interface SpanMs {
  readonly fromMs: number;
  readonly toMs: number;
}

const maxSpanMs = 800 * 86_400_000;

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A relative moment as an absolute one; any other text as it is. */
export function resolveMoment(text: string, now: Date): string {
  const found = /^(?:now)?(?:([+-]\d{1,6})([smhdw]))?$/.exec(text);
  if (found === null) return text;
  const [, amount = "0", unit = "s"] = found;
  return formatMs(now.getTime() + Number(amount) * (unitMs[unit] ?? 0));
}

export function parseMoment(key: string, text: string): number {
  const moment = Date.parse(text);
  // A leap second has the right form and yet is no moment that a clock of ours knows.
  if (Number.isNaN(moment)) throw invalid(key, "must be a moment that exists");
  return moment;
}

/** Keys are the names that the caller gave the two moments. */
export function parseSpan(
  from: string,
  to: string,
  keys: { readonly from: string; readonly to: string } = { from: "from", to: "to" },
): SpanMs {
  const span = { fromMs: parseMoment(keys.from, from), toMs: parseMoment(keys.to, to) };
  if (span.fromMs >= span.toMs) throw invalid(keys.from, `must be before ${keys.to}`);
  if (span.toMs - span.fromMs > maxSpanMs) {
    throw invalid(keys.from, `must be at most 800 days before ${keys.to}`);
  }
  return span;
}

export function formatMs(moment: number): string {
  return formatDateTime(new Date(moment));
}
