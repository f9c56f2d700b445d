import type { VerdictSettings } from "./verdict.ts";

/**
 * States of a ping or of its absence. LATE: the ping arrived after it had been reported as missing.
 */
export const pingStates = ["EARLY", "RECEIVED", "GRACE", "LATE", "FAILING"] as const;
type PingState = (typeof pingStates)[number];

/** The HTTP request by which a job sent a ping. */
export interface PingSender {
  readonly method: string;
  readonly address: string;
  readonly userAgent: string;
  /** Beginning of the request body as text. */
  readonly body: string;
  /**
   * Size in bytes of the whole request body. If the job sent its message in the query of the URL
   * instead, this is the size of that message.
   */
  readonly bodyBytes: number;
}

/** An event of a job: a ping that reports the end of the job, or the absence of a ping. */
export interface PingEvent {
  readonly state: PingState;
  /** The HTTP request of the ping; `null` if no ping arrived. */
  readonly sender: PingSender | null;
  /** True if the job reported a failure. */
  readonly hasFailed: boolean;
  /** Exit code of the job; `null` if the job reported none. */
  readonly exitCode: number | null;
  /** Time from the start of the job to its end; `null` if the job reported no start. */
  readonly durationMs: number | null;
  /** Time of the previous ping; `null` if there was none. */
  readonly lastPingMs: number | null;
  /** Time at which a ping was expected; `null` if no ping was expected. */
  readonly expectedMs: number | null;
  /** Start time of a job whose end is missing; `null` if no end is missing. */
  readonly unendedMs: number | null;
  /** End of an outage of Vedette that extended the deadline of the ping; `null` if none did. */
  readonly resumedMs: number | null;
}

/** Rules for the pings of a kind, as pure functions of a check's settings. */
export interface KindPings<
  Settings extends VerdictSettings = VerdictSettings,
  Measurement = unknown,
> {
  /** Returns the secret in the ping URL. */
  token(settings: Settings): string;
  /** Name of the settings field that contains the token. */
  readonly tokenField: string;
  /** Returns a key of the schedule. Equal keys mean equal expected times and grace periods. */
  scheduleKey(settings: Settings): string;
  usualPeriodMs(settings: Settings): number;
  /**
   * Returns the grace period: the time after the expected time in which a ping does not count as
   * missing.
   */
  graceMs(settings: Settings): number;
  /** Returns how long before the expected time a ping still counts as the expected ping. */
  earlyMs(settings: Settings): number;
  expectAfterPing(settings: Settings, pingMs: number): number;
  /** Returns the next expected time after a missed ping. The result is later than `afterMs`. */
  expectAfterMiss(settings: Settings, missedMs: number, afterMs: number): number;
  toMeasurement(event: PingEvent): Measurement;
  toEvent(measurement: Measurement): PingEvent;
}
