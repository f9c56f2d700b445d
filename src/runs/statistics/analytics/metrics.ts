import type { PartDefinition, SampleDefinition } from "../../../kinds/kit/figures.ts";
import type { Kind } from "../../../kinds/kit/kind.ts";
import { invalid } from "../../../platform/errors.ts";
import type { Rollup } from "../rollups/rollup.ts";
import { type Aggregation, aggregate, aggregations, readingOf } from "../sketch-statistics.ts";
import { computeAvailability, toAvailabilityPercent } from "../uptime.ts";

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
  readonly unit: PartDefinition["unit"] | "count";
  readonly label: string;
  readonly aggregation: string;
  /** Whether the metric needs the samples. Queries read samples only for such metrics. */
  readonly readsSamples: boolean;
  readonly compute: (rollup: Rollup) => number | null;
}

/** Creates a metric for a part of the runs. A metric name without a suffix means the average. */
function createMetric(
  name: string,
  part: PartDefinition,
  place: number,
  aggregation: Aggregation,
): Metric {
  const compute = (rollup: Rollup) => {
    if (aggregation === "avg" && part.average !== undefined) return part.average(rollup.counters);
    const sketch = rollup.parts[place];
    return sketch ? aggregate(sketch, aggregation, readingOf(part.unit)) : null;
  };
  const label = `${part.label}, ${aggregationLabels[aggregation]}`;
  return { name, unit: part.unit, label, aggregation, readsSamples: false, compute };
}

/** Lists the metrics of the samples, for kinds whose runs have one sample each. */
function listSampleMetrics({ metric, label }: SampleDefinition): Metric[] {
  if (label === null) return [];
  const createSampleMetric = (name: string, aggregation: Aggregation): Metric => ({
    name,
    unit: "milliseconds",
    label: `${label}, ${aggregationLabels[aggregation]}`,
    aggregation,
    readsSamples: true,
    compute: ({ samples }) => aggregate(samples, aggregation),
  });
  return [
    createSampleMetric(metric, "avg"),
    ...aggregations.map((aggregation) =>
      createSampleMetric(`${metric}_${aggregation}`, aggregation),
    ),
  ];
}

const commonMetrics: readonly Metric[] = [
  {
    name: "availability",
    unit: "percentage",
    label: "Availability",
    aggregation: "ratio",
    readsSamples: false,
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
    readsSamples: false,
    compute: (rollup) => rollup.retries,
  },
];

/** Returns the metrics of a kind, keyed by name. */
export function listMetrics({
  parts,
  samples,
}: Pick<Kind, "parts" | "samples">): ReadonlyMap<string, Metric> {
  const all = [
    ...commonMetrics,
    ...listSampleMetrics(samples),
    ...parts.map((part, place) => createMetric(part.metric, part, place, "avg")),
    ...parts.flatMap((part, place) =>
      aggregations.map((aggregation) =>
        createMetric(`${part.metric}_${aggregation}`, part, place, aggregation),
      ),
    ),
  ];
  return new Map(all.map((metric) => [metric.name, metric]));
}

/** Parses metric names from query parameters, which may be repeated and comma-separated. */
export function parseMetrics(
  texts: readonly string[],
  metrics: ReadonlyMap<string, Metric>,
): Metric[] {
  const names = texts.flatMap((text) => text.split(",")).map((name) => name.trim());
  return [...new Set(names)].map((name) => {
    const metric = metrics.get(name);
    if (metric !== undefined) return metric;
    throw invalid("metrics", `must be one of ${[...metrics.keys()].join(", ")}`, "querystring");
  });
}
