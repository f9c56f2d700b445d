import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { invalid } from "../../../platform/errors.ts";
import { DateTime, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { toAvailabilityPercent } from "../uptime.ts";
import { type AnalyticsWish, type CheckSummary, type IcmpAnalytics, maxRows } from "./actions.ts";
import { metricNames, parseMetrics, roundFigure } from "./metrics.ts";
import { quickRanges } from "./window.ts";

const Moment = Type.Unsafe<string>({
  type: "string",
  maxLength: 40,
  anyOf: [{ format: "date" }, { format: "date-time" }],
  description: "a date, which is its first moment in UTC, or a date and time",
});
const QuickRangeSchema = Type.Enum([...quickRanges], {
  type: "string",
  default: "last24Hours",
  description: "days, weeks from Monday and months are those of UTC",
});

export const AnalyticsParams = Type.Object({ id: Guid });

export const AnalyticsQuery = Type.Object({
  from: Type.Optional(Moment),
  to: Type.Optional(Moment),
  quickRange: QuickRangeSchema,
  aggregationInterval: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 43_200,
      description: "minutes; by default 60 for a day and 1440 for more",
    }),
  ),
  filterByStatus: Type.Optional(
    Type.Array(OneOf(["success", "failure"]), { maxItems: 2, description: "degraded is success" }),
  ),
  groupBy: Type.Optional(OneOf(["runLocation"])),
  metrics: Type.Array(Type.String({ maxLength: 2_000 }), {
    minItems: 1,
    maxItems: 60,
    description: `repeated or separated by commas, of: ${metricNames.join(", ")}`,
  }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxRows, description: "rows; by default all" }),
  ),
  page: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 1 }),
});

export const BatchQuery = Type.Object({ quickRange: QuickRangeSchema });
export const BatchBody = Type.Object({
  checkIds: Type.Array(Guid, { minItems: 1, maxItems: 200 }),
});

const Figure = OrNull(Type.Number());

export const IcmpAnalyticsSchema = Type.Object({
  checkId: Guid,
  name: Type.String(),
  checkType: OneOf(["ICMP"]),
  activated: Type.Boolean(),
  muted: Type.Boolean(),
  frequency: Type.Number(),
  from: DateTime,
  to: DateTime,
  tags: Type.Array(Type.String()),
  series: Type.Array(
    Type.Object({
      runLocation: Type.Optional(Type.String()),
      data: Type.Array(Type.Object({ time: DateTime }, { additionalProperties: Figure })),
    }),
  ),
  pagination: Type.Object({ page: Type.Integer(), limit: Type.Integer() }),
  metadata: Type.Record(
    Type.String(),
    Type.Object({
      unit: OneOf(["percentage", "milliseconds", "count"]),
      label: Type.String(),
      aggregation: Type.String(),
    }),
  ),
});

export const BatchSchema = Type.Array(
  Type.Object({
    checkId: Guid,
    checkType: OneOf(["ICMP"]),
    availability: Figure,
    latency_avg: Figure,
    latency_p50: Figure,
    latency_p95: Figure,
    latency_p99: Figure,
    packetLoss_avg: Figure,
    packetLoss_p95: Figure,
    packetLoss_p99: Figure,
  }),
);

/** A leap second has the right form and yet is no moment that a clock of ours knows. */
function parseMoment(key: string, text: string | undefined): number | null {
  const moment = text === undefined ? null : Date.parse(text);
  if (Number.isNaN(moment)) throw invalid(key, "must be a moment that exists", "querystring");
  return moment;
}

export function toWish(checkId: string, query: Type.Static<typeof AnalyticsQuery>): AnalyticsWish {
  return {
    checkId,
    fromMs: parseMoment("from", query.from),
    toMs: parseMoment("to", query.to),
    quickRange: query.quickRange,
    intervalMinutes: query.aggregationInterval ?? null,
    statuses: query.filterByStatus ?? [],
    isByLocation: query.groupBy === "runLocation",
    hasPackets: false,
    metrics: parseMetrics(query.metrics),
    limit: query.limit ?? null,
    page: query.page,
  };
}

export function toWireAnalytics(
  { check, window, series }: IcmpAnalytics,
  { metrics, limit, page }: AnalyticsWish,
) {
  const { name, activated, muted, frequency, tags } = check.settings;
  return {
    checkId: check.id,
    name,
    checkType: check.kind,
    activated,
    muted,
    frequency,
    from: formatDateTime(new Date(window.fromMs)),
    to: formatDateTime(new Date(window.toMs)),
    tags: [...tags],
    series: series.map(({ location, points }) => ({
      ...(location === null ? {} : { runLocation: location }),
      data: points.map(({ startsMs, rollup }) => ({
        time: formatDateTime(new Date(startsMs)),
        ...Object.fromEntries(
          metrics.map((metric) => [metric.name, roundFigure(metric.compute(rollup))]),
        ),
      })),
    })),
    pagination: { page, limit: limit ?? maxRows },
    metadata: Object.fromEntries(
      metrics.map(({ name: metric, unit, label, aggregation }) => [
        metric,
        { unit, label, aggregation },
      ]),
    ),
  };
}

export function toWireSummary(summary: CheckSummary) {
  const { checkId, availability, latencyMs } = summary;
  return {
    checkId,
    checkType: "ICMP" as const,
    availability: availability === null ? null : toAvailabilityPercent(availability),
    latency_avg: roundFigure(latencyMs.avg),
    latency_p50: roundFigure(latencyMs.p50),
    latency_p95: roundFigure(latencyMs.p95),
    latency_p99: roundFigure(latencyMs.p99),
    packetLoss_avg: roundFigure(summary.packetLossPercent),
    packetLoss_p95: summary.packetLossP95Percent,
    packetLoss_p99: summary.packetLossP99Percent,
  };
}
