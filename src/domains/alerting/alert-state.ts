import type { HoldReason } from "./alert-rules.ts";

/** A passing check is calm; the other three are troubles. */
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
/** All kinds that decisions produce; a test message is sent on request. */
export type DecidedKind = TroubleKind | RecoveryKind | RemainKind;

export interface LocationVerdict {
  readonly verdict: RunVerdict;
  readonly atMs: number;
}

/** What is kept of a check between two decisions, stored as JSON. */
export interface AlertState {
  /** What was observed, whether or not an alert was sent. */
  readonly phase: Phase;
  readonly sinceMs: number;
  /** The phase before this one. */
  readonly cameFrom: Phase;
  /** Consecutive runs in this phase. Parallel runs that were due together count once. */
  readonly failedRuns: number;
  readonly countedDueAtMs: number | null;
  readonly lastDueAtMs: number | null;
  readonly lastResultId: string | null;
  /** When the last run with a verdict was due. */
  readonly heardAtMs: number;
  /** The newest final verdict of each current location of the check. */
  readonly locations: Readonly<Record<string, LocationVerdict>>;
  /**
   * What held the alerts at the newest run. A tick sends nothing based on such a run: a failure
   * that was seen during maintenance must be seen again after it.
   */
  readonly heldReason: HoldReason | null;

  /** What the last alert said; null after a recovery. Changes only when an alert is sent. */
  readonly alertedKind: TroubleKind | null;
  /** Counts alerts from failure to recovery, which all have the same number. */
  readonly alertNumber: number;
  readonly openedAtMs: number | null;
  /** When the trouble began that is open; not in states that are older than the field. */
  readonly troubleStartedAtMs?: number | null;
  /** When the newest alert or reminder was sent. */
  readonly lastAlertAtMs: number | null;
  readonly remindersSent: number;
  readonly acknowledgedAtMs: number | null;
  /** How people know them. Not there in states that are older than the field. */
  readonly acknowledgedBy?: string | null;
  /** How many stages were reached so far. */
  readonly escalationStage: number;
  /** When recent changes were sent; bounded by flap damping. */
  readonly toldAtMs: readonly number[];
  readonly isFlapping: boolean;
}

/** For a check that has never run: calm, with silence counted from now. */
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

/** The phase that the last alert reported. */
export function findAlertedPhase(state: AlertState): Phase {
  return state.alertedKind === null ? "calm" : alertedPhases[state.alertedKind];
}

/** The last alert reported a trouble that still lasts. */
export function isAlertCurrent(state: AlertState): boolean {
  return state.alertedKind !== null && findAlertedPhase(state) === state.phase;
}

/**
 * Stops reminders and escalation until the check recovers. Changes nothing if the number is not
 * that of the open alert: a link in an old message must not silence a newer alert.
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

/** Counts silence from this moment at the earliest. */
export function restartSilence(state: AlertState, atMs: number): AlertState {
  return { ...state, heardAtMs: Math.max(state.heardAtMs, atMs) };
}
