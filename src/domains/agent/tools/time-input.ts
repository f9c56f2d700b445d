import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { invalid } from "../../../platform/errors.ts";
import { ruleKey } from "../../../platform/http/schema-rules.ts";

const relativePattern = "^(?:now)?(?:[+-]\\d{1,6}[smhdw])?$";

export const timeFormats =
  "ISO 8601 in UTC (2026-01-31T08:00:00Z), or relative to now: -24h, -90m, -7d, +2w, now";

/** Schema of a time parameter. */
export function TimeInput(description: string) {
  return Type.Unsafe<string>({
    type: "string",
    minLength: 1,
    maxLength: 40,
    anyOf: [
      { format: "date-time" },
      { format: "date" },
      { pattern: relativePattern, [ruleKey]: "must be relative to now, such as -24h" },
    ],
    description: `${description}. ${timeFormats}`,
  });
}

export const From = TimeInput("Start");
export const To = TimeInput("End, not included; default now");

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

/** Converts a relative time to an absolute one; other texts are returned unchanged. */
export function resolveTime(text: string, now: Date): string {
  const found = /^(?:now)?(?:([+-]\d{1,6})([smhdw]))?$/.exec(text);
  if (found === null) return text;
  const [, amount = "0", unit = "s"] = found;
  return formatMs(now.getTime() + Number(amount) * (unitMs[unit] ?? 0));
}

export function parseTime(key: string, text: string): number {
  const timeMs = Date.parse(text);
  // A leap second has the right form, but cannot be represented.
  if (Number.isNaN(timeMs)) throw invalid(key, "must be a valid date and time");
  return timeMs;
}

/** `keys` are the parameter names, for error messages. */
export function parseSpan(
  from: string,
  to: string,
  keys: { readonly from: string; readonly to: string } = { from: "from", to: "to" },
): SpanMs {
  const span = { fromMs: parseTime(keys.from, from), toMs: parseTime(keys.to, to) };
  if (span.fromMs >= span.toMs) throw invalid(keys.from, `must be before ${keys.to}`);
  if (span.toMs - span.fromMs > maxSpanMs) {
    throw invalid(keys.from, `must be at most 800 days before ${keys.to}`);
  }
  return span;
}

export function formatMs(timeMs: number): string {
  return formatDateTime(new Date(timeMs));
}
