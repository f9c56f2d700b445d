import { Type } from "typebox";
import { allKinds } from "../../../kinds/index.ts";
import { roundFigure } from "../../../kinds/kit/figures.ts";
import type { Kind } from "../../../kinds/kit/kind.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
  parseTimestamp,
} from "../../../platform/http/schema.ts";
import { toAvailabilityPercent } from "../uptime.ts";
import { quickRanges } from "../window.ts";
import { type Analytics, type AnalyticsRequest, type CheckSummary, maxRows } from "./actions.ts";
import { type Metric, parseMetrics } from "./metrics.ts";

export const Moment = Type.Unsafe<string>({
  type: "string",
  maxLength: 40,
  anyOf: [{ format: "date" }, { format: "date-time" }],
  description: "a date, meaning 00:00 UTC, or a date and time",
});
const QuickRangeSchema = Type.Enum([...quickRanges], {
  type: "string",
  default: "last24Hours",
  description: "days, weeks (from Monday) and months are in UTC",
});

export const AnalyticsParams = Type.Object({ id: Described(Guid, "The check's id.") });

export const createAnalyticsQuery = (metricNames: Iterable<string>) =>
  Type.Object({
    from: Described(
      Type.Optional(Moment),
      "Start of the window, with `to`: a date, meaning 00:00 UTC, or a date and time.",
    ),
    to: Described(
      Type.Optional(Moment),
      "End of the window: a date, meaning 00:00 UTC, or a date and time.",
    ),
    quickRange: Described(
      QuickRangeSchema,
      "A window by name; days, weeks (from Monday) and months are in UTC.",
    ),
    aggregationInterval: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 43_200,
        description: "minutes; by default 60 for a day and 1440 for more",
      }),
    ),
    filterByStatus: Type.Optional(
      Type.Array(OneOf(["success", "failure"]), {
        maxItems: 2,
        description: "degraded counts as success",
      }),
    ),
    groupBy: Described(Type.Optional(OneOf(["runLocation"])), "Return one series per location."),
    metrics: Type.Array(Type.String({ maxLength: 2_000 }), {
      minItems: 1,
      maxItems: 60,
      description: `repeated or separated by commas, of: ${[...metricNames].join(", ")}`,
    }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: maxRows, description: "rows; by default all" }),
    ),
    page: Type.Integer({
      description: "Page number, starting at 1; 0 means 1.",
      minimum: 0,
      maximum: 1_000_000,
      default: 1,
    }),
  });

export const BatchQuery = Type.Object({
  quickRange: Described(
    QuickRangeSchema,
    "A window by name; days, weeks (from Monday) and months are in UTC.",
  ),
});
export const BatchBody = Type.Object(
  {
    checkIds: Type.Array(Guid, {
      description: "The ids of the checks.",
      examples: [["7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10"]],
      minItems: 1,
      maxItems: 200,
    }),
  },
  { title: "CheckAnalyticsInput" },
);

const Figure = OrNull(Type.Number());

export const createAnalyticsSchema = ({ type, operations }: Kind) =>
  Type.Object(
    {
      checkId: Described(Guid, "The check's id."),
      name: Type.String({ description: "The check's name.", examples: ["Router"] }),
      checkType: Described(OneOf([type]), "The kind of check."),
      activated: Type.Boolean({ description: "Whether the check runs.", examples: [true] }),
      muted: Type.Boolean({ description: "Whether alerts are muted; runs are still recorded." }),
      frequency: Type.Number({
        description: "Minutes between runs; 0 for shorter intervals, see `frequencyOffset`.",
        examples: [1],
      }),
      from: Described(DateTime, "Start of the window."),
      to: Described(DateTime, "Until when."),
      tags: Type.Array(Type.String(), {
        description: "Labels to select checks in lists, alert settings and maintenance windows.",
        examples: [["production"]],
      }),
      series: Type.Array(
        Type.Object({
          runLocation: Type.Optional(Type.String({ description: "The location, with `groupBy`." })),
          data: Type.Array(
            Type.Object(
              { time: Described(DateTime, "Start of the interval.") },
              { additionalProperties: Figure },
            ),
            { description: "One entry per interval." },
          ),
        }),
        { description: "The figures over time, one series per location or one for all." },
      ),
      pagination: Type.Object(
        {
          page: Type.Integer({ description: "Page number, starting at 1; 0 means 1." }),
          limit: Type.Integer({ description: "Rows per page.", examples: [100] }),
        },
        { description: "Pagination." },
      ),
      metadata: Type.Record(
        Type.String(),
        Type.Object({
          unit: Described(
            OneOf(["percentage", "milliseconds", "days", "score", "count"]),
            "The unit of the figure.",
          ),
          label: Type.String({ description: "Label of the figure.", examples: ["Availability"] }),
          aggregation: Type.String({
            description: "How it is aggregated over runs.",
            examples: ["avg"],
          }),
        }),
        { description: "Descriptions of the figures by name." },
      ),
    },
    { title: `${operations.name}Analytics` },
  );

function createSummarySchema({ type, samples, parts }: Kind) {
  const ofSamples = (ending: string, what: string, example: number) => ({
    [`${samples.metric}_${ending}`]: Described(
      Figure,
      `${what} ${samples.noun} in milliseconds; \`null\` without runs.`,
      example,
    ),
  });
  const ofParts = parts.map(({ metric, unit, summary }) => {
    if (summary === undefined) return {};
    const { noun, examples } = summary;
    const inUnit = `in ${unit === "percentage" ? "percent" : unit}`;
    const describe = (what: string, example: number) =>
      Described(Figure, `${what} ${noun} ${inUnit}; \`null\` without runs.`, example);
    return {
      [`${metric}_avg`]: describe("Mean", examples.avg),
      [`${metric}_p95`]: describe("95th percentile of the", examples.p95),
      [`${metric}_p99`]: describe("99th percentile of the", examples.p99),
    };
  });
  return Type.Object({
    checkId: Described(Guid, "The check's id."),
    checkType: Described(OneOf([type]), "The kind of check."),
    availability: Described(Figure, "Availability in percent; `null` without runs.", 99.95),
    ...ofSamples("avg", "Mean", 12.4),
    ...ofSamples("p50", "Median", 12.1),
    ...ofSamples("p95", "95th percentile of the", 15.8),
    ...ofSamples("p99", "99th percentile of the", 21.3),
    ...Object.assign({}, ...ofParts),
  });
}

/** If there are several kinds, each check in the response has the fields of its kind. */
const [firstSummary = Type.Object({}), ...otherSummaries] = allKinds.map(createSummarySchema);
export const BatchSchema = Type.Array(
  otherSummaries.length === 0 ? firstSummary : Type.Union([firstSummary, ...otherSummaries]),
);

type AnalyticsQuery = Type.Static<ReturnType<typeof createAnalyticsQuery>>;

export function toAnalyticsRequest(
  query: AnalyticsQuery,
  check: Pick<AnalyticsRequest, "checkId" | "type">,
  metrics: ReadonlyMap<string, Metric>,
): AnalyticsRequest {
  const chosen = parseMetrics(query.metrics, metrics);
  return {
    ...check,
    fromMs: parseTimestamp("from", query.from),
    toMs: parseTimestamp("to", query.to),
    quickRange: query.quickRange,
    intervalMinutes: query.aggregationInterval ?? null,
    statuses: query.filterByStatus ?? [],
    isByLocation: query.groupBy === "runLocation",
    hasSamples: chosen.some(({ readsSamples }) => readsSamples),
    metrics: chosen,
    limit: query.limit ?? null,
    page: query.page,
  };
}

export function toWireAnalytics(
  { check, window, series }: Analytics,
  { metrics, limit, page }: AnalyticsRequest,
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

export function toWireSummary({
  kind,
  summary,
}: {
  readonly kind: Kind;
  readonly summary: CheckSummary;
}) {
  const { checkId, availability, latencyMs } = summary;
  const { metric } = kind.samples;
  return {
    checkId,
    checkType: kind.type,
    availability: availability === null ? null : toAvailabilityPercent(availability),
    [`${metric}_avg`]: roundFigure(latencyMs.avg),
    [`${metric}_p50`]: roundFigure(latencyMs.p50),
    [`${metric}_p95`]: roundFigure(latencyMs.p95),
    [`${metric}_p99`]: roundFigure(latencyMs.p99),
    ...Object.fromEntries(
      Object.entries(summary.parts).flatMap(([name, { avg, p95, p99 }]) => [
        [`${name}_avg`, roundFigure(avg)],
        [`${name}_p95`, roundFigure(p95)],
        [`${name}_p99`, roundFigure(p99)],
      ]),
    ),
  };
}
