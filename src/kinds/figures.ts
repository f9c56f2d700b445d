/** The numbers of a run that statistics aggregate. A kind declares their names once. */

/** A number that is summed over runs, such as packets sent. */
export interface CounterDefinition {
  /** Name in the API. */
  readonly name: string;
}

/** One number per run, kept in a sketch for averages and percentiles. */
export interface PartDefinition {
  /** Column name in statistics, unique within the kind: lower case with underscores. */
  readonly name: string;
  /** Metric name in the API; suffixes such as `_p95` are appended to it. */
  readonly metric: string;
  readonly unit: "percentage" | "milliseconds" | "days" | "score";
  /** Label shown to users. */
  readonly label: string;
  /** Exact average over all runs, if the counters provide it; `null` if nothing was counted. */
  average?(counters: readonly number[]): number | null;
  /** Present if the check summary shows this number. */
  readonly summary?: {
    /** For example "loss", as in "Mean loss in percent". */
    readonly noun: string;
    readonly examples: { readonly avg: number; readonly p95: number; readonly p99: number };
  };
}

/** The round trips or response times of a run; statistics keep one sketch of all of them. */
export interface SampleDefinition {
  /** For example "latency", as in `latency_p95`. */
  readonly metric: string;
  /** For example "round trip", as in "Median round trip in milliseconds". */
  readonly noun: string;
  /**
   * Label shown to users if every run has exactly one sample. Analytics then offer the metric over
   * time and no part repeats it. `null` if a run has several samples, such as packets.
   */
  readonly label: string | null;
}

export interface Figures {
  /** `null` if there was no response. */
  readonly responseMs: number | null;
  /** Milliseconds. */
  readonly samples: readonly number[];
  /** In the order of the kind's `counters`. */
  readonly counters: readonly number[];
  /** In the order of the kind's `parts`; an entry is `null` if the run does not have it. */
  readonly parts: readonly (number | null)[];
}

/** Receives the figures of many runs directly from their encoded bytes. */
export interface FigureVisitor {
  /** `place` is the index in the kind's `counters`. */
  counter(place: number, value: number): void;
  /**
   * `place` is the index in the kind's `parts`. Not called for a part that the run does not have.
   */
  part(place: number, value: number): void;
  sample(valueMs: number): void;
}

const units = { percentage: "%", milliseconds: "ms", days: "days", score: "" } as const;
const suffixes = { percentage: "Percent", milliseconds: "Ms", days: "Days", score: "" } as const;

/** A score has none. */
export function unitOf({ unit }: Pick<PartDefinition, "unit">): "%" | "ms" | "days" | "" {
  return units[unit];
}

/** Name of a single value of a part for programs: "firstByteMs". */
export function nameFigure({ metric, unit }: Pick<PartDefinition, "metric" | "unit">): string {
  return `${metric}${suffixes[unit]}`;
}

/** Rounds to three decimals. */
export function roundFigure(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1_000) / 1_000;
}
