import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { invalid } from "../../../platform/errors.ts";

export const Moment = Type.Unsafe<string>({
  type: "string",
  maxLength: 40,
  anyOf: [{ format: "date-time" }, { format: "date" }],
  description: "ISO 8601 in UTC, such as 2026-01-31T08:00:00Z",
});

export interface SpanMs {
  readonly fromMs: number;
  readonly toMs: number;
}

const maxSpanMs = 800 * 86_400_000;

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
