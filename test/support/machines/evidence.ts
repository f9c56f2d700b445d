/** Evidence collected after the faults: database rows, and messages at the alert receiver. */

export type Verdict = "unknown" | "passing" | "degraded" | "failing";

export interface CheckFact {
  readonly checkId: string;
  readonly periodMs: number;
  /** Offset of the schedule: runs are due at `splayMs + n × periodMs`. */
  readonly splayMs: number;
  /** Time before which no run was due. */
  readonly sinceMs: number;
  /**
   * Locations of the check. A parallel check runs at all of its locations, any other check at one
   * of them.
   */
  readonly locations: readonly string[];
  readonly isParallel: boolean;
  /** Index of the target that the check monitors. */
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
  /** Reason why nothing was measured; `null` if the target responded. */
  readonly trouble: string | null;
}

/** Gap between two recorded runs, as counted by the product. */
export interface GapFact {
  readonly checkId: string;
  /** Location of the missed runs; `null` for any location. */
  readonly location: string | null;
  /** Due time of the run before the gap. That run is not part of the gap. */
  readonly afterMs: number;
  readonly beforeMs: number;
  /** Number of runs that were due in the gap. */
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
  /** Alert type in the message, such as `ALERT_FAILURE`. */
  readonly kind: string;
  readonly alertNumber: number;
}

export interface DeliveryFact {
  /** Idempotency key, with which a receiver recognises a repeated delivery. */
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

/** Names of the writes acknowledged with a 2xx status, and of the writes stored in the database. */
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
  /** Time span in which every due run must be recorded or counted as missed. */
  readonly span: { readonly fromMs: number; readonly toMs: number };
  readonly runs: readonly RunFact[];
  readonly gaps: readonly GapFact[];
  readonly changes: readonly ChangeFact[];
  readonly alerts: readonly AlertFact[];
  readonly channelIds: readonly number[];
  readonly deliveries: readonly DeliveryFact[];
  readonly arrivals: readonly ArrivalFact[];
  readonly writes: WriteFacts;
  /** Changes of the targets' states. Every target is up initially. */
  readonly targetChanges: readonly TargetChange[];
}
