/** Evidence collected after the faults: database rows, and messages at the alert receiver. */

export type Verdict = "unknown" | "passing" | "degraded" | "failing";

export interface CheckFact {
  readonly checkId: string;
  readonly periodMs: number;
  /** Runs are due at `splayMs + n × periodMs`. */
  readonly splayMs: number;
  /** No run was due before this time. */
  readonly sinceMs: number;
  /** In parallel: every run is made at all of these; otherwise at one of them. */
  readonly locations: readonly string[];
  readonly isParallel: boolean;
  /** Index of its target. */
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
  /** Why nothing was measured; `null` if the target responded. */
  readonly trouble: string | null;
}

/** Runs between two recorded ones, as the product counts them. */
export interface GapFact {
  readonly checkId: string;
  /** `null` for any location. */
  readonly location: string | null;
  /** The runs before and after; neither is in the gap. */
  readonly afterMs: number;
  readonly beforeMs: number;
  /** Number of runs due in between. */
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
  /** Kind in the message: `ALERT_FAILURE` … */
  readonly kind: string;
  readonly alertNumber: number;
}

export interface DeliveryFact {
  /** Idempotency key, by which a receiver recognises a repeat. */
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

/** Writes acknowledged with 2xx, and those in the database. */
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
  /** All runs due within this span must be accounted for. */
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
