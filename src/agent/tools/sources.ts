import { type TString, Type } from "typebox";
import { formatCheckUrl, formatRunUrl } from "../../pages/screens.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { invalid } from "../../platform/errors.ts";
import { OneOf } from "../../platform/http/schema.ts";
import { ruleKey } from "../../platform/http/schema-rules.ts";
import type { AgentContext } from "../context.ts";
import type { Source } from "../tool.ts";

/** Parameters that several tools have. Objects can be named by id or by name. */

const named = (description: string): TString =>
  Type.String({ minLength: 1, maxLength: 255, description });

export const CheckReference = named("The check: its id or name.");

export const GroupReference = named("Only checks of this group: its id or name.");

export const ServiceReference = named("Only entries of this service: its id or name.");

export const IncidentReference = named("The incident: its id or name.");

export const ChannelReference = named("The alert channel: its id or recipient (#on-call).");

export const MemberReference = named("The member: their id, name or email address.");

export const ScheduleReference = named("The on-call schedule: its id or name.");

export const LocationReference = named(
  "A location: its region (eu-central-1) or name (Frankfurt).",
);

export const NamePart = named("Part of the name, ignoring case.");

export const Tag = named("Only checks with this tag.");

export function CheckReferences(maxItems: number) {
  const description = `The checks, by id or name; at most ${maxItems}.`;
  return Type.Array(CheckReference, { minItems: 1, maxItems, description });
}

export function StatusFilter(description: string) {
  return { ...OneOf(["passing", "degraded", "failing", "unknown"]), description };
}

export function Limit(maximum: number, usual: number) {
  const description = `Maximum number of entries, 1 to ${maximum}; default ${usual}.`;
  return Type.Integer({ minimum: 1, maximum, description });
}

const relativePattern = "^(?:now)?(?:[+-]\\d{1,6}[smhdw])?$";

const timeFormats =
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

const maxSpanMs = 800 * 86_400_000;

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

export interface SpanMs {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Converts a relative time to an absolute time. Returns any other text unchanged. */
export function resolveTime(text: string, now: Date): string {
  const found = /^(?:now)?(?:([+-]\d{1,6})([smhdw]))?$/.exec(text);
  if (found === null) return text;
  const [, amount = "0", unit = "s"] = found;
  return formatMs(now.getTime() + Number(amount) * (unitMs[unit] ?? 0));
}

export function parseTime(key: string, text: string): number {
  const timeMs = Date.parse(text);
  // A leap second matches the format, but JavaScript dates cannot represent it.
  if (Number.isNaN(timeMs)) throw invalid(key, "must be a valid date and time");
  return timeMs;
}

/** Parses a time range. `keys` contains the parameter names for error messages. */
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

/** Dependencies for building links to screens of the web application. */
type Links = Pick<AgentContext, "publicUrl">;

/** Maximum number of sources per tool result. */
const maxSources = 50;

export function limitSources(sources: readonly Source[]): Source[] {
  const byId = new Map(sources.map((source) => [source.id, source]));
  return [...byId.values()].slice(0, maxSources);
}

export function checkSource(context: Links, check: { checkId: string; name: string }): Source {
  const { checkId, name } = check;
  return { id: checkId, label: name, url: formatCheckUrl(context.publicUrl(), checkId) };
}

export function resultSource(
  context: Links,
  result: { checkId: string; resultId: string; location: string; startedAt: string },
): Source {
  const { checkId, resultId, location, startedAt } = result;
  return {
    id: resultId,
    label: `run at ${startedAt} from ${location}`,
    url: formatRunUrl(context.publicUrl(), checkId, resultId),
  };
}

export function deliverySource(
  context: Links,
  { id, alertId, title }: { readonly id: string; readonly alertId: string; readonly title: string },
): Source {
  return { id, label: title, url: `${context.publicUrl()}/alerts/${alertId}` };
}

export function windowSource(context: Links, id: number, name: string): Source {
  const url = `${context.publicUrl()}/alerts/maintenance/${id}`;
  return { id: `maintenance-window-${id}`, label: name, url };
}

export function incidentSource(context: Links, id: string, name: string): Source {
  return { id, label: name, url: `${context.publicUrl()}/incidents/${id}` };
}

export function linkSource(
  context: Links,
  { id, label, path }: { readonly id: string; readonly label: string; readonly path: string },
): Source {
  return { id, label, url: `${context.publicUrl()}${path}` };
}
