/** A server that misses this much is dead: others take its shards. */
export const aliveForMs = 8_000;
/** Three looks may fail before a server counts as dead. */
export const lookEveryMs = 2_000;
/** A clock that is further off is shown as wrong. */
export const maxClockSkewMs = 2_000;
/** How long a server that went without saying so is still listed. */
export const listedForMs = 86_400_000;

/** Which process this is, and where. */
export interface OwnServer {
  readonly id: string;
  readonly instance: string;
  readonly place: string;
  readonly name: string;
  readonly version: string;
  readonly address: string | null;
}

/** How this server is doing, as told to the others at each look. */
export interface Condition {
  readonly isScheduling: boolean;
  readonly lagMs: number;
  readonly slowestLoop: string | null;
  /** The share of runs, from 0 to 1, that it skips because it is overloaded; 0 by default. */
  readonly skippedShare?: number;
}

/** What to do about an overload, from the quickest to the most lasting. */
export const overloadAdvice =
  "Give the server more CPU, run checks less often, start another server on the same database, or " +
  "let probes of other machines make some of the runs.";

/** Returns what an overload costs, in words; null while there is none. */
export function describeOverload(skippedShare: number): string | null {
  if (skippedShare <= 0) return null;
  return `overloaded: ${toSkippedPercent(skippedShare)} % of runs are skipped`;
}

/** Whole percent; an overload is never shown as none, and never as total unless it is. */
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

/** A server that is alive, as the others count it. */
export interface LiveServer {
  readonly id: string;
  readonly isScheduling: boolean;
}

/**
 * By how much our clock is ahead of the database's, from one round trip: the database read its
 * clock somewhere between the two moments, most likely half-way.
 */
export function measureSkewMs(sentAtMs: number, answeredAtMs: number, databaseMs: number): number {
  return (sentAtMs + answeredAtMs) / 2 - databaseMs;
}
