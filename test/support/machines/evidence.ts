/** What is left behind when the faults are over: rows, and what the receiver of alerts got. */

export type Verdict = "unknown" | "passing" | "degraded" | "failing";

export interface CheckFact {
  readonly checkId: string;
  readonly periodMs: number;
  /** Runs are due at `splayMs + n × periodMs`. */
  readonly splayMs: number;
  /** No run was due before. */
  readonly sinceMs: number;
  /** In parallel: every run is made at all of these. Otherwise at one of them. */
  readonly locations: readonly string[];
  readonly isParallel: boolean;
  /** The number of what it watches. */
  readonly target: number;
}

export interface RunFact {
  readonly checkId: string;
  readonly runId: string;
  readonly dueAtMs: number;
  readonly location: string;
  readonly attempt: number;
  readonly isFinal: boolean;
  readonly verdict: Verdict;
  readonly startedAtMs: number;
  readonly stoppedAtMs: number;
  readonly probe: string;
  /** Why nothing was measured; null: the target answered. */
  readonly trouble: string | null;
}

/** Runs between two that were recorded, as the product counts them. */
export interface GapFact {
  readonly checkId: string;
  /** Null: any. */
  readonly location: string | null;
  /** The runs before and after: neither is in the gap. */
  readonly afterMs: number;
  readonly beforeMs: number;
  /** How many were due in between. */
  readonly dueCount: number;
}

export interface ChangeFact {
  readonly checkId: string;
  readonly from: Verdict;
  readonly to: Verdict;
  readonly atMs: number;
}

export interface AlertFact {
  readonly id: string;
  readonly checkId: string;
  /** As the receiver is told: `ALERT_FAILURE` … */
  readonly kind: string;
  readonly alertNumber: number;
}

export interface DeliveryFact {
  /** What a receiver tells a repeat by. */
  readonly key: string;
  readonly alertId: string;
  readonly channelId: number;
  readonly status: "PENDING" | "SENT" | "DEAD";
}

export interface ArrivalFact {
  readonly key: string;
  readonly kind: string;
  readonly checkId: string;
}

/** A write that was answered with 2xx, and one that is in the database. */
export interface WriteFacts {
  readonly acknowledged: readonly string[];
  readonly stored: readonly string[];
}

export interface TargetChange {
  readonly target: number;
  readonly atMs: number;
  readonly isUp: boolean;
}

export interface Evidence {
  readonly checks: readonly CheckFact[];
  /** Runs that were due within are accounted for. */
  readonly span: { readonly fromMs: number; readonly toMs: number };
  readonly runs: readonly RunFact[];
  readonly gaps: readonly GapFact[];
  readonly changes: readonly ChangeFact[];
  readonly alerts: readonly AlertFact[];
  readonly channelIds: readonly number[];
  readonly deliveries: readonly DeliveryFact[];
  readonly arrivals: readonly ArrivalFact[];
  readonly writes: WriteFacts;
  /** Every target is up at first. */
  readonly targetChanges: readonly TargetChange[];
}
