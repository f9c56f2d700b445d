import type { VerdictSettings } from "./verdict.ts";

/** How people call a ping, or its absence, by when it came. */
export const pingStates = ["EARLY", "RECEIVED", "GRACE", "LATE", "FAILING"] as const;
export type PingState = (typeof pingStates)[number];

/** Who sent a ping, and what came with it. */
export interface PingSender {
  readonly method: string;
  /** An address. */
  readonly address: string;
  readonly userAgent: string;
  /** The beginning of the body, as text. */
  readonly body: string;
  /** How many bytes the whole body has. */
  readonly bodyBytes: number;
}

/** A job told that it has ended, or that was not heard in time. */
export interface PingEvent {
  readonly state: PingState;
  /** Null: no ping came. */
  readonly sender: PingSender | null;
  /** 0: the job succeeded; null: it did not say, or no ping came. */
  readonly exitCode: number | null;
  /** The job told that it failed. */
  readonly hasFailed: boolean;
  /** From the start of the job to its end; null: it told no start. */
  readonly durationMs: number | null;
  /** When the last ping before this came; null: this is the first. */
  readonly lastPingMs: number | null;
  /** When a ping was expected; null: none was, since this is the first. */
  readonly expectedMs: number | null;
  /** A job that began then and has not ended; null: it is a ping that is missing, or none is. */
  readonly unendedMs: number | null;
  /** The service took no pings until then, so that the job got more time; null: it did. */
  readonly resumedMs: number | null;
}

/** What a kind says about pings: pure functions of the settings of a check. */
export interface KindPings<
  Settings extends VerdictSettings = VerdictSettings,
  Measurement = unknown,
> {
  /** The secret in the address that is pinged. */
  token(settings: Settings): string;
  /** Two checks with the same text expect pings at the same times. */
  describeSchedule(settings: Settings): string;
  /** How long after it was expected a ping is not yet missing. */
  graceMs(settings: Settings): number;
  /** How long before it is expected a ping still counts for it. */
  earlyMs(settings: Settings): number;
  usualPeriodMs(settings: Settings): number;
  /** When the next is expected after a ping, or after one that was expected and did not come. */
  nextMs(
    settings: Settings,
    after: { readonly pingMs: number } | { readonly missedMs: number },
  ): number;
  toMeasurement(event: PingEvent): Measurement;
  toEvent(measurement: Measurement): PingEvent;
}
