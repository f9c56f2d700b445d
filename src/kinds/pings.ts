import type { VerdictSettings } from "./verdict.ts";

/** State of a ping, or of its absence, by arrival time. */
export const pingStates = ["EARLY", "RECEIVED", "GRACE", "LATE", "FAILING"] as const;
type PingState = (typeof pingStates)[number];

/** The HTTP request of a ping. */
export interface PingSender {
  readonly method: string;
  readonly address: string;
  readonly userAgent: string;
  /** The beginning of the body as text. */
  readonly body: string;
  /** Size of the whole body in bytes. */
  readonly bodyBytes: number;
}

/** A job reported its end, or no ping arrived in time. */
export interface PingEvent {
  readonly state: PingState;
  /** `null` if no ping arrived. */
  readonly sender: PingSender | null;
  /** True if the job reported a failure. */
  readonly hasFailed: boolean;
  /** `null` if the job reported none. */
  readonly exitCode: number | null;
  /** From the start of the job to its end; `null` if no start was reported. */
  readonly durationMs: number | null;
  /** Time of the previous ping; `null` if there was none. */
  readonly lastPingMs: number | null;
  /** Time at which a ping was expected; `null` if none was. */
  readonly expectedMs: number | null;
  /** Start of a job whose end is missing; `null` if no end is missing. */
  readonly unendedMs: number | null;
  /** End of a service outage that extended the deadline of this ping; `null` if there was none. */
  readonly resumedMs: number | null;
}

/** Ping rules of a kind: pure functions of a check's settings. */
export interface KindPings<
  Settings extends VerdictSettings = VerdictSettings,
  Measurement = unknown,
> {
  /** The secret in the ping URL. */
  token(settings: Settings): string;
  /** The field that contains the token. */
  readonly tokenField: string;
  /** Equal for two settings that expect pings at the same times. */
  scheduleKey(settings: Settings): string;
  usualPeriodMs(settings: Settings): number;
  /** How long after the expected time a ping is not yet missing. */
  graceMs(settings: Settings): number;
  /** How long before the expected time a ping counts as the expected one. */
  earlyMs(settings: Settings): number;
  /** The next expected time after a received ping. */
  expectAfterPing(settings: Settings, pingMs: number): number;
  /** The next expected time after a missed ping, later than `afterMs`. */
  expectAfterMiss(settings: Settings, missedMs: number, afterMs: number): number;
  toMeasurement(event: PingEvent): Measurement;
  toEvent(measurement: Measurement): PingEvent;
}
