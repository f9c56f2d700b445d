/** A server that has not reported for this long is dead, and others take over its shards. */
export const aliveForMs = 8_000;
/** Three reports may fail before a server counts as dead. */
export const lookEveryMs = 2_000;
/** A larger clock difference is reported as wrong. */
export const maxClockSkewMs = 2_000;
/** How long a server that disappeared is still listed. */
export const listedForMs = 86_400_000;

/** Identifies this process. */
export interface OwnServer {
  readonly id: string;
  readonly instance: string;
  readonly place: string;
  readonly name: string;
  readonly version: string;
  readonly address: string | null;
}

/** The condition of this server, reported to the others. */
export interface Condition {
  readonly isScheduling: boolean;
  readonly lagMs: number;
  readonly slowestLoop: string | null;
  /** The share of runs, from 0 to 1, that it skips because of overload; 0 by default. */
  readonly skippedShare?: number;
}

/** What to do about an overload, the quickest remedy first. */
export const overloadAdvice =
  "Give the server more CPU, run checks less often, start another server on the same database, or " +
  "move some of the runs to probes on other machines.";

/** Describes the effect of an overload; `null` if there is none. */
export function describeOverload(skippedShare: number): string | null {
  if (skippedShare <= 0) return null;
  return `overloaded: ${toSkippedPercent(skippedShare)} % of runs are skipped`;
}

/** Whole percent; rounds neither a small overload to 0 nor a partial one to 100. */
export function toSkippedPercent(skippedShare: number): number {
  if (skippedShare <= 0 || skippedShare >= 1) return skippedShare <= 0 ? 0 : 100;
  return Math.min(99, Math.max(1, Math.round(skippedShare * 100)));
}

export interface Server {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly address: string | null;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly isLive: boolean;
  readonly isScheduling: boolean;
  readonly clockSkewMs: number | null;
  readonly lagMs: number;
  readonly slowestLoop: string | null;
  readonly skippedShare: number;
}

/** Another live server. */
export interface LiveServer {
  readonly id: string;
  readonly isScheduling: boolean;
}

/**
 * How far our clock is ahead of the database's, from one round trip: the database read its clock
 * between the two times, most likely half-way.
 */
export function measureSkewMs(sentAtMs: number, answeredAtMs: number, databaseMs: number): number {
  return (sentAtMs + answeredAtMs) / 2 - databaseMs;
}
