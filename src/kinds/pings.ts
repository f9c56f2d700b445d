import type { VerdictSettings } from "./verdict.ts";

/** How people call a ping, or its absence, by when it came. */
export const pingStates = ["EARLY", "RECEIVED", "GRACE", "LATE", "FAILING"] as const;
export type PingState = (typeof pingStates)[number];

/** Who sent a ping, and what came with it. */
export interface PingSender {
  readonly method: string;
  readonly address: string;
  readonly userAgent: string;
  /** The beginning of the body, as text. */
  readonly body: string;
  /** How many bytes the whole body has. */
  readonly bodyBytes: number;
}

/** A job has told its end, or was not heard in time. */
export interface PingEvent {
  readonly state: PingState;
  /** Null: no ping came. */
  readonly sender: PingSender | null;
  /** The job has told that it failed. */
  readonly hasFailed: boolean;
  /** Null: the job told none. */
  readonly exitCode: number | null;
  /** From the start of the job to its end; null: it told no start. */
  readonly durationMs: number | null;
  /** When the ping before this came; null: there was none. */
  readonly lastPingMs: number | null;
  /** When a ping was expected; null: none was. */
  readonly expectedMs: number | null;
  /** When the job began that has not told its end; null: it is no end that is missing. */
  readonly unendedMs: number | null;
  /** Until then the service took no pings, so that this one got more time; null: it took them. */
  readonly resumedMs: number | null;
}

/** What a kind says about pings: pure functions of the settings of a check. */
export interface KindPings<
  Settings extends VerdictSettings = VerdictSettings,
  Measurement = unknown,
> {
  /** The secret in the address that is pinged. */
  token(settings: Settings): string;
  /** The field that holds it. */
  readonly tokenField: string;
  /** The same for two settings that expect pings at the same times. */
  scheduleKey(settings: Settings): string;
  usualPeriodMs(settings: Settings): number;
  /** For so long after it was expected a ping is not yet missing. */
  graceMs(settings: Settings): number;
  /** For so long before it is expected a ping counts as the expected one. */
  earlyMs(settings: Settings): number;
  /** When the next ping is expected after one that came. */
  expectAfterPing(settings: Settings, pingMs: number): number;
  /** When the next ping is expected after one that did not come, and after a moment. */
  expectAfterMiss(settings: Settings, missedMs: number, afterMs: number): number;
  toMeasurement(event: PingEvent): Measurement;
  toEvent(measurement: Measurement): PingEvent;
}
