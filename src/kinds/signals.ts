import type { VerdictSettings } from "./verdict.ts";

/** Bounds of what is stored of one notification. */
export const signalLimits = {
  alerts: 20,
  labels: 20,
  nameLength: 100,
  textLength: 500,
  urlLength: 2_000,
  keyLength: 2_000,
  /** The whole notification as JSON; a longer one loses its last alerts. */
  jsonBytes: 30_000,
} as const;

/** An alert of another monitor. */
export interface SignalAlert {
  readonly status: "firing" | "resolved";
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** When it began to fire, as the monitor wrote it. */
  readonly startsAt: string;
  /** Where it was generated, such as a graph; http and https only. `null` if unknown. */
  readonly generatorUrl: string | null;
}

/** A notification of another monitor about a group of its alerts. */
export interface Signal {
  /** Whether at least one alert is firing. */
  readonly status: "firing" | "resolved";
  /** The highest severity of the alerts that fire; empty if none has one. */
  readonly severity: string;
  readonly isUrgent: boolean;
  readonly receiver: string;
  readonly externalUrl: string | null;
  readonly firingCount: number;
  readonly resolvedCount: number;
  /** The first alerts, firing ones first. */
  readonly alerts: readonly SignalAlert[];
}

/** Which alerts a check follows. */
interface SignalTarget {
  readonly sourceId: string;
  readonly groupKey: string;
}

/** How a kind whose runs are notifications of another monitor creates checks and measurements. */
export interface KindSignals<
  Settings extends VerdictSettings = VerdictSettings,
  Measurement = unknown,
> {
  /** The kind's own fields of a new check. */
  toFields(target: SignalTarget): object;
  /** `null` if the check follows nothing. */
  readTarget(settings: Settings): SignalTarget | null;
  toMeasurement(signal: Signal): Measurement;
}
