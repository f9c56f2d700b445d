import type { HoldReason } from "./alert-rules.ts";

/** A passing check is calm; the other three phases are problems. */
export type Phase = "calm" | "degraded" | "failing" | "no-data";

export type RunVerdict = "passing" | "degraded" | "failing" | "unknown";

export type TroubleKind =
  | "ALERT_FAILURE"
  | "ALERT_DEGRADED"
  | "ALERT_DEGRADED_FAILURE"
  | "ALERT_FAILURE_DEGRADED"
  | "ALERT_NO_DATA";
export type RecoveryKind = "ALERT_RECOVERY" | "ALERT_DEGRADED_RECOVERY";
export type RemainKind = "ALERT_FAILURE_REMAIN" | "ALERT_DEGRADED_REMAIN";
/** All kinds that decisions produce. Test messages are sent on request instead. */
export type DecidedKind = TroubleKind | RecoveryKind | RemainKind;

export interface LocationVerdict {
  readonly verdict: RunVerdict;
  readonly atMs: number;
}

/** The state of a check between two decisions. Stored as JSON, so field names must not change. */
export interface AlertState {
  /** The observed phase, whether or not an alert was sent for it. */
  readonly phase: Phase;
  readonly sinceMs: number;
  /** The previous phase. */
  readonly cameFrom: Phase;
  /** Number of consecutive runs in this phase. Parallel runs with the same due time count once. */
  readonly failedRuns: number;
  readonly countedDueAtMs: number | null;
  readonly lastDueAtMs: number | null;
  readonly lastResultId: string | null;
  /** When the last run with a verdict was due. */
  readonly heardAtMs: number;
  /** The newest final verdict of each current location. */
  readonly locations: Readonly<Record<string, LocationVerdict>>;
  /**
   * Why alerts were held at the newest run. A tick sends no alert based on such a run: a failure
   * seen during maintenance must be seen again after it.
   */
  readonly heldReason: HoldReason | null;

  /** Kind of the last alert; `null` after a recovery. Changes only when an alert is sent. */
  readonly alertedKind: TroubleKind | null;
  /** Number of the alert; identical for all alerts from a failure to its recovery. */
  readonly alertNumber: number;
  readonly openedAtMs: number | null;
  /** When the open problem began. Missing in states stored before the field existed. */
  readonly troubleStartedAtMs?: number | null;
  /** When the newest alert or reminder was sent. */
  readonly lastAlertAtMs: number | null;
  readonly remindersSent: number;
  readonly acknowledgedAtMs: number | null;
  /** Display name of the person. Missing in states stored before the field existed. */
  readonly acknowledgedBy?: string | null;
  /** Number of escalation stages reached so far. */
  readonly escalationStage: number;
  /** When recent state changes were sent. Flap damping limits its length. */
  readonly toldAtMs: readonly number[];
  readonly isFlapping: boolean;
}

/** Creates the state of a check that has never run: calm, with the no-data time starting now. */
export function createAlertState(atMs: number): AlertState {
  return {
    phase: "calm",
    sinceMs: atMs,
    cameFrom: "calm",
    failedRuns: 0,
    countedDueAtMs: null,
    lastDueAtMs: null,
    lastResultId: null,
    heardAtMs: atMs,
    locations: {},
    heldReason: null,
    alertedKind: null,
    alertNumber: 0,
    openedAtMs: null,
    lastAlertAtMs: null,
    remindersSent: 0,
    acknowledgedAtMs: null,
    escalationStage: 0,
    toldAtMs: [],
    isFlapping: false,
  };
}

const alertedPhases: Readonly<Record<TroubleKind, Phase>> = {
  ALERT_FAILURE: "failing",
  ALERT_DEGRADED_FAILURE: "failing",
  ALERT_DEGRADED: "degraded",
  ALERT_FAILURE_DEGRADED: "degraded",
  ALERT_NO_DATA: "no-data",
};

/** Returns the phase that the last alert reported. */
export function findAlertedPhase(state: AlertState): Phase {
  return state.alertedKind === null ? "calm" : alertedPhases[state.alertedKind];
}

/** Whether the last alert reported a problem that still exists. */
export function isAlertCurrent(state: AlertState): boolean {
  return state.alertedKind !== null && findAlertedPhase(state) === state.phase;
}

/**
 * Stops reminders and escalation until the check recovers. Has no effect unless the number is that
 * of the open alert: a link in an old message must not silence a newer alert.
 */
export function acknowledgeAlert(
  state: AlertState,
  acknowledgement: { readonly alertNumber: number; readonly atMs: number; readonly by?: string },
): AlertState {
  const isOpen = state.alertedKind !== null && state.alertNumber === acknowledgement.alertNumber;
  if (!isOpen || state.acknowledgedAtMs !== null) return state;
  const { atMs, by = null } = acknowledgement;
  return { ...state, acknowledgedAtMs: atMs, acknowledgedBy: by };
}

/** Restarts the no-data timer at the given time, unless it started later. */
export function restartSilence(state: AlertState, atMs: number): AlertState {
  return { ...state, heardAtMs: Math.max(state.heardAtMs, atMs) };
}
