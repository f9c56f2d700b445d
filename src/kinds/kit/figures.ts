/** Defines the numbers of a run that statistics aggregate, in one place per kind of check. */

/** A number that statistics sum over runs, such as the number of packets sent. */
export interface CounterDefinition {
  /** Name of the counter in the API. */
  readonly name: string;
}

/**
 * A number with one value per run. Statistics store its values in a sketch, which provides averages
 * and percentiles.
 */
export interface PartDefinition {
  /** Column name in statistics, unique within the kind: lower case with underscores. */
  readonly name: string;
  /** Metric name in the API; suffixes such as `_p95` are appended to it. */
  readonly metric: string;
  readonly unit: "percentage" | "milliseconds" | "days" | "score";
  /** Label shown to users. */
  readonly label: string;
  /**
   * Calculates the exact average from the sums of the counters; `null` if there are no values.
   * Absent if the counters do not provide the average.
   */
  average?(counters: readonly number[]): number | null;
  /** Present if the check summary shows this number. */
  readonly summary?: {
    /** Noun for the number, such as "loss" in "Mean loss in percent". */
    readonly noun: string;
    readonly examples: { readonly avg: number; readonly p95: number; readonly p99: number };
  };
}

/** The round-trip times or response times of runs. Statistics store all samples in one sketch. */
export interface SampleDefinition {
  /** Name of the metric in the API, such as "latency" in `latency_p95`. */
  readonly metric: string;
  /** Noun for one sample, such as "round trip" in "Median round trip in milliseconds". */
  readonly noun: string;
  /**
   * Label shown to users if every run has exactly one sample; `null` if a run has several samples,
   * such as packets.
   *
   * If there is a label, `metric` is also the name of a metric in analytics. Metric names must be
   * unique within a kind, so no part of the kind may have the same `metric`.
   */
  readonly label: string | null;
}

export interface Figures {
  /** Response time in milliseconds; `null` if there was no response. */
  readonly responseMs: number | null;
  /** Samples of the run in milliseconds. */
  readonly samples: readonly number[];
  /** Values of the counters, in the order of the kind's `counters`. */
  readonly counters: readonly number[];
  /** Values in the order of the kind's `parts`. A part that was not measured is `null`. */
  readonly parts: readonly (number | null)[];
}

/** Receives the figures of many runs while their encoded bytes are read. */
export interface FigureVisitor {
  /** Receives the value of a counter. `place` is its index in the kind's `counters`. */
  counter(place: number, value: number): void;
  /**
   * Receives the value of a part. `place` is its index in the kind's `parts`. Not called for parts
   * that were not measured.
   */
  part(place: number, value: number): void;
  sample(valueMs: number): void;
}

const units = { percentage: "%", milliseconds: "ms", days: "days", score: "" } as const;
const suffixes = { percentage: "Percent", milliseconds: "Ms", days: "Days", score: "" } as const;

/** Returns the unit as text. A score has no unit. */
export function unitOf({ unit }: Pick<PartDefinition, "unit">): "%" | "ms" | "days" | "" {
  return units[unit];
}

/** Returns the name of a part's value for programs, such as "firstByteMs". */
export function nameFigure({ metric, unit }: Pick<PartDefinition, "metric" | "unit">): string {
  return `${metric}${suffixes[unit]}`;
}

/** Rounds a value to three decimals. */
export function roundFigure(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1_000) / 1_000;
}
