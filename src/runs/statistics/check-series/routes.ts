import { Type } from "typebox";
import { roundFigure } from "../../../kinds/kit/figures.ts";
import type { Verdict } from "../../../kinds/kit/verdict.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  answers,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
  parseTimestamp,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { Moment } from "../analytics/schema.ts";
import type { StatisticsContext } from "../context.ts";
import type { Rollup } from "../rollups/rollup.ts";
import { aggregate, readingOf, readShares } from "../sketch-statistics.ts";
import { computeAvailability, toAvailabilityPercent } from "../uptime.ts";
import {
  type CheckSeries,
  getCheckSeries,
  type SeriesMetric,
  type SeriesRequest,
  sketchOf,
} from "./actions.ts";

const SeriesParams = Type.Object({ checkId: Described(Guid, "The check's id.") });

const SeriesQuery = Type.Object({
  from: Described(
    Type.Optional(Moment),
    "Start of the range: a date, meaning 00:00 UTC, or a date and time. By " +
      "default one day before the end.",
  ),
  to: Described(Type.Optional(Moment), "End of the range; by default now."),
  points: Type.Integer({
    minimum: 1,
    maximum: 500,
    default: 300,
    description: "Maximum number of slots.",
  }),
  byLocation: Type.Boolean({ default: false, description: "Return one series per location." }),
  metric: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        "The figure, by its name in `metrics` of a response; by default the response time of the " +
        "kind of check.",
    }),
  ),
});

const Figure = OrNull(Type.Number());

const shownFigures = {
  runs: Type.Integer({ description: "Number of runs.", examples: [60] }),
  failing: Type.Integer({ description: "Number of failing runs.", examples: [1] }),
  degraded: Type.Integer({ description: "Number of degraded runs." }),
  unknown: Type.Integer({ description: "Number of runs without a verdict." }),
  state: Described(
    OrNull(OneOf(["passing", "degraded", "failing", "unknown"])),
    "The worst verdict; unknown if no run has a verdict, `null` if there were no runs.",
  ),
  loss: Described(
    Figure,
    "Packet loss in percent; `null` if there were no runs, or the kind of check " +
      "does not count it.",
    0.3,
  ),
  min: Described(Figure, "Minimum; `null` without values.", 9.8),
  max: Described(Figure, "Maximum; `null` without values.", 48.1),
  avg: Described(Figure, "Average; `null` without values.", 12.4),
  p50: Described(Figure, "Median; `null` without values.", 12.1),
  p95: Described(Figure, "95th percentile; `null` without values.", 15.8),
  p99: Described(Figure, "99th percentile; `null` without values.", 21.3),
};

const MetricSchema = Type.Object({
  name: Type.String({ description: "Its name.", examples: ["latency"] }),
  label: Type.String({ description: "Label of the figure.", examples: ["Round trip"] }),
  unit: Described(
    OneOf(["percentage", "milliseconds", "days", "score"]),
    "The unit of its values.",
  ),
});

const SeriesSchema = Type.Object(
  {
    checkId: Described(Guid, "The check's id."),
    from: Described(DateTime, "Start of the first slot."),
    to: Described(DateTime, "End of the range; the last slot may be shorter."),
    slotSeconds: Type.Integer({ description: "Length of a slot in seconds.", examples: [300] }),
    source: Described(
      OneOf(["runs", "hours", "days"]),
      "The source: single runs, or rolled-up hours or days.",
    ),
    metric: Described(MetricSchema, "The figure that min, max and the others refer to."),
    metrics: Type.Array(MetricSchema, { description: "The available figures." }),
    series: Type.Array(
      Type.Object({
        runLocation: Described(
          OrNull(Type.String()),
          "The location; `null` for all locations.",
          "eu-central-1",
        ),
        total: Type.Object(
          {
            availability: Described(Figure, "Availability in percent; `null` without runs.", 99.95),
            ...shownFigures,
          },
          { description: "Figures of the whole range." },
        ),
        slots: Type.Array(
          Type.Object({ at: Described(DateTime, "Start of the slot."), ...shownFigures }),
          { description: "All slots of the range, including empty ones." },
        ),
      }),
      { description: "One series, or one per location." },
    ),
  },
  { title: "CheckSeries" },
);

function toSeriesRequest(query: Type.Static<typeof SeriesQuery>, checkId: string): SeriesRequest {
  return {
    checkId,
    fromMs: parseTimestamp("from", query.from),
    toMs: parseTimestamp("to", query.to),
    points: query.points,
    isByLocation: query.byLocation,
    metric: query.metric ?? null,
  };
}

function findWorst({ failing, degraded, passing, unknown }: Rollup): Verdict | null {
  if (failing > 0) return "failing";
  if (degraded > 0) return "degraded";
  if (passing > 0) return "passing";
  return unknown > 0 ? "unknown" : null;
}

function toWireFigures(rollup: Rollup, metric: SeriesMetric) {
  const { passing, degraded, failing, unknown } = rollup;
  const reading = readingOf(metric.unit);
  const sketch = sketchOf(metric, rollup);
  const shares = sketch === null ? [] : readShares(sketch, [0, 0.5, 0.95, 0.99, 1], reading);
  const [min = null, p50 = null, p95 = null, p99 = null, max = null] = shares;
  const loss = rollup.kind.parts.find(({ unit }) => unit === "percentage")?.average;
  return {
    runs: passing + degraded + failing + unknown,
    failing,
    degraded,
    unknown,
    state: findWorst(rollup),
    loss: roundFigure(loss?.(rollup.counters) ?? null),
    min: roundFigure(min),
    max: roundFigure(max),
    avg: roundFigure(sketch && aggregate(sketch, "avg", reading)),
    p50: roundFigure(p50),
    p95: roundFigure(p95),
    p99: roundFigure(p99),
  };
}

const toWireMetric = ({ name, label, unit }: SeriesMetric) => ({ name, label, unit });
const toWireMoment = (ms: number) => formatDateTime(new Date(ms));

export function toWireSeries({ checkId, plan, metric, metrics, series }: CheckSeries) {
  return {
    checkId,
    from: toWireMoment(plan.window.fromMs),
    to: toWireMoment(plan.window.toMs),
    slotSeconds: plan.slotMs / 1_000,
    source: plan.source,
    metric: toWireMetric(metric),
    metrics: metrics.map(toWireMetric),
    series: series.map(({ location, total, slots }) => {
      const ratio = computeAvailability(total);
      return {
        runLocation: location,
        total: {
          availability: ratio === null ? null : toAvailabilityPercent(ratio),
          ...toWireFigures(total, metric),
        },
        slots: slots.map(({ startsMs, rollup }) => ({
          at: toWireMoment(startsMs),
          ...toWireFigures(rollup, metric),
        })),
      };
    }),
  };
}

export function addSeriesRoutes(server: HttpServer, context: StatisticsContext): void {
  server.get(
    "/v1/check-series/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags: ["Analytics"],
        operationId: "getCheckSeries",
        summary: "Read a check's figures over a range, in slots for a chart",
        description:
          "The range is divided into slots of equal length, as short as `points` and the check's " +
          "frequency allow. Short ranges are read from single runs, a month from hours and more " +
          "from days, so a long range costs no more than a short one. Values are accurate to one " +
          "percent; counts, loss and availability are exact.",
        params: SeriesParams,
        querystring: SeriesQuery,
        response: answers({ 200: SeriesSchema }, "notFound"),
      },
    },
    async ({ caller, params, query }) =>
      toWireSeries(await getCheckSeries(context, caller, toSeriesRequest(query, params.checkId))),
  );
}
