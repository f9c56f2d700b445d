/** The numbers of a run, as statistics add them up. A kind declares their names once. */

/** Adds up over runs, such as packets sent. */
export interface CounterDefinition {
  /** As the API names it. */
  readonly name: string;
}

/** One number of each run. Statistics keep a sketch of it, for averages and percentiles. */
export interface PartDefinition {
  /** The name of its column in statistics, unique within the kind: lower case, underscores. */
  readonly name: string;
  /** The name of its metric at the wire; `_p95` and the like are added to it. */
  readonly metric: string;
  readonly unit: "percentage" | "milliseconds" | "days";
  /** For people. */
  readonly label: string;
  /** The exact average over all runs, where the counters have it. Null: nothing was counted. */
  average?(counters: readonly number[]): number | null;
  /** Where it is shown in the summary of a check: what it is called, and examples. */
  readonly summary?: {
    /** "loss", as in "Mean loss in percent". */
    readonly noun: string;
    readonly examples: { readonly avg: number; readonly p95: number; readonly p99: number };
  };
}

/** Every single round trip or response time; statistics keep one sketch of all of them. */
export interface SampleDefinition {
  /** As in `latency_p95`. */
  readonly metric: string;
  /** "round trip", as in "Median round trip in milliseconds". */
  readonly noun: string;
  /**
   * For people, where every run has one sample: then analytics offer the metric over time too, and
   * no part repeats it. Null: samples are not runs, as packets are not.
   */
  readonly label: string | null;
}

export interface Figures {
  /** Null: nothing came back. */
  readonly responseMs: number | null;
  /** Milliseconds. */
  readonly samples: readonly number[];
  /** In the order of the kind's `counters`. */
  readonly counters: readonly number[];
  /** In the order of the kind's `parts`; null: this run has none. */
  readonly parts: readonly (number | null)[];
}

/** Takes the figures of many runs straight from their bytes. */
export interface FigureVisitor {
  /** The place is that in the kind's `counters`. */
  counter(place: number, value: number): void;
  /** The place is that in the kind's `parts`; a part that a run lacks is not visited. */
  part(place: number, value: number): void;
  sample(valueMs: number): void;
}
