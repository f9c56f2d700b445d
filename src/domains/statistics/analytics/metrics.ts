import { invalid } from "../../../platform/errors.ts";
import { computeLossPercent, type Rollup, type SketchName } from "../rollups/rollup.ts";
import { type Aggregation, aggregate, aggregations, asLossPercent } from "../sketch-statistics.ts";
import { computeAvailability, toAvailabilityPercent } from "../uptime.ts";

const measures = {
  packetLoss: { sketch: "loss", unit: "percentage", label: "Packet loss" },
  latencyMin: { sketch: "min", unit: "milliseconds", label: "Lowest latency of a run" },
  latencyMax: { sketch: "max", unit: "milliseconds", label: "Highest latency of a run" },
  latencyAvg: { sketch: "avg", unit: "milliseconds", label: "Average latency of a run" },
  latencyStdDev: {
    sketch: "std_dev",
    unit: "milliseconds",
    label: "Standard deviation of latency in a run",
  },
} as const satisfies Record<string, { sketch: SketchName; unit: string; label: string }>;

type Measure = keyof typeof measures;
const measureNames = Object.keys(measures) as Measure[];

const aggregationLabels: Readonly<Record<Aggregation, string>> = {
  avg: "average",
  max: "maximum",
  median: "median",
  min: "minimum",
  p50: "50th percentile",
  p90: "90th percentile",
  p95: "95th percentile",
  p99: "99th percentile",
  stddev: "standard deviation",
  sum: "sum",
};

export interface Metric {
  readonly name: string;
  readonly unit: "percentage" | "milliseconds" | "count";
  readonly label: string;
  readonly aggregation: string;
  readonly compute: (rollup: Rollup) => number | null;
}

/** A measure of runs over time. Without an ending its average is meant. */
function createMetric(name: string, measure: Measure, aggregation: Aggregation): Metric {
  const { sketch, unit, label } = measures[measure];
  const isLoss = measure === "packetLoss";
  const compute = (rollup: Rollup) =>
    isLoss && aggregation === "avg"
      ? computeLossPercent(rollup)
      : aggregate(rollup.sketches[sketch], aggregation, isLoss ? asLossPercent : undefined);
  const wholeLabel = `${label}, ${aggregationLabels[aggregation]}`;
  return { name, unit, label: wholeLabel, aggregation, compute };
}

const allMetrics: readonly Metric[] = [
  {
    name: "availability",
    unit: "percentage",
    label: "Availability",
    aggregation: "ratio",
    compute: (rollup) => {
      const ratio = computeAvailability(rollup);
      return ratio === null ? null : toAvailabilityPercent(ratio);
    },
  },
  {
    name: "retries",
    unit: "count",
    label: "Retries",
    aggregation: "sum",
    compute: (rollup) => rollup.retries,
  },
  ...measureNames.map((measure) => createMetric(measure, measure, "avg")),
  ...measureNames.flatMap((measure) =>
    aggregations.map((aggregation) =>
      createMetric(`${measure}_${aggregation}`, measure, aggregation),
    ),
  ),
];

const byName: ReadonlyMap<string, Metric> = new Map(
  allMetrics.map((metric) => [metric.name, metric]),
);
export const metricNames: readonly string[] = [...byName.keys()];

/** Names come apart by commas, as a repeated parameter, or both. */
export function parseMetrics(texts: readonly string[]): Metric[] {
  const names = texts.flatMap((text) => text.split(",")).map((name) => name.trim());
  return [...new Set(names)].map((name) => {
    const metric = byName.get(name);
    if (metric !== undefined) return metric;
    throw invalid("metrics", `must be of ${metricNames.join(", ")}`, "querystring");
  });
}
