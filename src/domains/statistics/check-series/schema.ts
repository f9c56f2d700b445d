import { Type } from "typebox";
import { roundFigure } from "../../../kinds/round-figure.ts";
import type { Verdict } from "../../../kinds/verdict.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { parseMoment } from "../../../platform/http/parse-moment.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { Moment } from "../analytics/schema.ts";
import type { Rollup } from "../rollups/rollup.ts";
import { aggregate, readingOf, readShares } from "../sketch-statistics.ts";
import { computeAvailability, toAvailabilityPercent } from "../uptime.ts";
import { type CheckSeries, type SeriesMetric, type SeriesRequest, sketchOf } from "./actions.ts";

export const SeriesParams = Type.Object({ checkId: Described(Guid, "The check's id.") });

export const SeriesQuery = Type.Object({
  from: Described(
    Type.Optional(Moment),
    "Where the range begins: a date, which is its first moment in UTC, or a date and time. By " +
      "default a day before its end.",
  ),
  to: Described(Type.Optional(Moment), "Where the range ends; by default now."),
  points: Type.Integer({
    minimum: 1,
    maximum: 500,
    default: 300,
    description: "At most so many slots.",
  }),
  byLocation: Type.Boolean({ default: false, description: "One series for each location." }),
  metric: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        "Which figure, by its name in `metrics` of an answer; by default the response time of the " +
        "kind of check.",
    }),
  ),
});

const Figure = OrNull(Type.Number());

const shownFigures = {
  runs: Type.Integer({ description: "How many runs there were.", examples: [60] }),
  failing: Type.Integer({ description: "How many of them failed.", examples: [1] }),
  degraded: Type.Integer({ description: "How many were degraded." }),
  unknown: Type.Integer({ description: "How many learned nothing about the target." }),
  state: Described(
    OrNull(OneOf(["passing", "degraded", "failing", "unknown"])),
    "The worst verdict of a run; unknown where no run learned anything; null: nothing ran.",
  ),
  loss: Described(
    Figure,
    "Percent of what was sent that did not come back; null: nothing ran, or the kind of check " +
      "does not count it.",
    0.3,
  ),
  min: Described(Figure, "The smallest value; null: no value.", 9.8),
  max: Described(Figure, "The largest value; null: no value.", 48.1),
  avg: Described(Figure, "The mean; null: no value.", 12.4),
  p50: Described(Figure, "The median; null: no value.", 12.1),
  p95: Described(Figure, "The 95th percentile; null: no value.", 15.8),
  p99: Described(Figure, "The 99th percentile; null: no value.", 21.3),
};

const MetricSchema = Type.Object({
  name: Type.String({ description: "Its name.", examples: ["latency"] }),
  label: Type.String({ description: "Its name for people.", examples: ["Round trip"] }),
  unit: Described(OneOf(["percentage", "milliseconds", "days"]), "The unit of its values."),
});

export const SeriesSchema = Type.Object(
  {
    checkId: Described(Guid, "The check's id."),
    from: Described(DateTime, "Where the first slot begins."),
    to: Described(DateTime, "Where the range ends; the last slot may be cut there."),
    slotSeconds: Type.Integer({ description: "How long a slot is.", examples: [300] }),
    source: Described(
      OneOf(["runs", "hours", "days"]),
      "What it was read from: single runs, or hours or days that were added up before.",
    ),
    metric: Described(MetricSchema, "Which figure min, max and the others are of."),
    metrics: Type.Array(MetricSchema, { description: "The figures that can be asked for." }),
    series: Type.Array(
      Type.Object({
        runLocation: Described(
          OrNull(Type.String()),
          "The location; null: all of them.",
          "eu-central-1",
        ),
        total: Type.Object(
          {
            availability: Described(Figure, "Availability in percent; null: no run.", 99.95),
            ...shownFigures,
          },
          { description: "What the whole range amounts to." },
        ),
        slots: Type.Array(
          Type.Object({ at: Described(DateTime, "When the slot begins."), ...shownFigures }),
          { description: "Every slot of the range, whether anything ran in it or not." },
        ),
      }),
      { description: "One series, or one for each location." },
    ),
  },
  { title: "CheckSeries" },
);

export function toSeriesRequest(
  query: Type.Static<typeof SeriesQuery>,
  checkId: string,
): SeriesRequest {
  return {
    checkId,
    fromMs: parseMoment("from", query.from),
    toMs: parseMoment("to", query.to),
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
