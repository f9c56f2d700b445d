import type { VerdictSettings } from "./verdict.ts";

/** Limits of the stored parts of one notification. */
export const signalLimits = {
  alerts: 20,
  labels: 20,
  nameLength: 100,
  textLength: 500,
  urlLength: 2_000,
  keyLength: 2_000,
  /** Maximum size of a notification as JSON. A larger notification loses its last alerts. */
  jsonBytes: 30_000,
} as const;

/** An alert from another monitor. */
export interface SignalAlert {
  readonly status: "firing" | "resolved";
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /**
   * Time at which the alert began to fire, in the format of the external monitor that sent the
   * signal.
   */
  readonly startsAt: string;
  /** Link to the origin of the alert, such as a graph. Only http and https. `null` if unknown. */
  readonly generatorUrl: string | null;
}

/** A notification from another monitor about a group of its alerts. */
export interface Signal {
  /** `firing` if at least one alert of the group is firing. */
  readonly status: "firing" | "resolved";
  /** Highest severity of the firing alerts. Empty if no firing alert has a severity. */
  readonly severity: string;
  readonly isUrgent: boolean;
  readonly receiver: string;
  readonly externalUrl: string | null;
  readonly firingCount: number;
  readonly resolvedCount: number;
  /** Stored alerts of the group. Firing alerts come first, because excess alerts are dropped. */
  readonly alerts: readonly SignalAlert[];
}

/**
 * Identifies a group of alerts that another monitor reports. A check can represent such a group.
 */
interface SignalTarget {
  readonly sourceId: string;
  readonly groupKey: string;
}

/**
 * Converts between the notifications of another monitor and the checks and measurements of a kind.
 */
export interface KindSignals<
  Settings extends VerdictSettings = VerdictSettings,
  Measurement = unknown,
> {
  /** Returns the kind's own fields for a new check that represents the target. */
  toFields(target: SignalTarget): object;
  /** Returns the group of alerts that a check represents; `null` if it represents none. */
  readTarget(settings: Settings): SignalTarget | null;
  toMeasurement(signal: Signal): Measurement;
}
