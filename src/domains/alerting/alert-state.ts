import type { HoldReason } from "./alert-rules.ts";

/** Calm is what passing runs bring; the other three are troubles. */
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
/** All that the decisions can bring about; a test message is nobody's decision but a person's. */
export type DecidedKind = TroubleKind | RecoveryKind | RemainKind;

export interface LocationVerdict {
  readonly verdict: RunVerdict;
  readonly atMs: number;
}

/** All that is remembered of a check between two decisions. Plain data: it is stored as JSON. */
export interface AlertState {
  /** What is observed. It changes whether anybody is told or not. */
  readonly phase: Phase;
  readonly sinceMs: number;
  /** The phase before this one. */
  readonly cameFrom: Phase;
  /** Runs in a row that brought this phase. Those in parallel that were due together are one. */
  readonly failedRuns: number;
  readonly countedDueAtMs: number | null;
  readonly lastDueAtMs: number | null;
  readonly lastResultId: string | null;
  /** When a run last learned something. */
  readonly heardAtMs: number;
  /** The newest final verdict of each location that the check has now. */
  readonly locations: Readonly<Record<string, LocationVerdict>>;
  /**
   * What held the alerts when the newest run came. Time alone tells nothing on such a run: what
   * was seen in maintenance must be seen again after it.
   */
  readonly heldReason: HoldReason | null;

  /** What those who are alerted believe. It moves only when they are told. */
  readonly alertedKind: TroubleKind | null;
  /** Counts the troubles that were told. All alerts of one trouble bear its number. */
  readonly alertNumber: number;
  readonly openedAtMs: number | null;
  /** The newest change or reminder that was told. */
  readonly lastAlertAtMs: number | null;
  readonly remindersSent: number;
  readonly acknowledgedAtMs: number | null;
  /** How many stages were reached. */
  readonly escalationStage: number;
  /** When changes were told lately: bounded by the rules of flap damping. */
  readonly toldAtMs: readonly number[];
  readonly isFlapping: boolean;
}

/** A check that has never run is calm, and its silence counts from here. */
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

const toldPhases: Readonly<Record<TroubleKind, Phase>> = {
  ALERT_FAILURE: "failing",
  ALERT_DEGRADED_FAILURE: "failing",
  ALERT_DEGRADED: "degraded",
  ALERT_FAILURE_DEGRADED: "degraded",
  ALERT_NO_DATA: "no-data",
};

/** The phase that those who are alerted believe in. */
export function findToldPhase(state: AlertState): Phase {
  return state.alertedKind === null ? "calm" : toldPhases[state.alertedKind];
}

/** What was told is a trouble, and it is still what is observed. */
export function isToldTroubleTrue(state: AlertState): boolean {
  return state.alertedKind !== null && findToldPhase(state) === state.phase;
}

/**
 * Ends reminders and escalation of one trouble until it is over. A link in an old message must
 * not silence a newer trouble, so another number, or a trouble that is over, changes nothing.
 */
export function acknowledgeAlert(
  state: AlertState,
  acknowledgement: { readonly alertNumber: number; readonly atMs: number },
): AlertState {
  const isOpen = state.alertedKind !== null && state.alertNumber === acknowledgement.alertNumber;
  if (!isOpen || state.acknowledgedAtMs !== null) return state;
  return { ...state, acknowledgedAtMs: acknowledgement.atMs };
}

/** For a check that is activated again: time in which no run was wanted is no silence. */
export function restartSilence(state: AlertState, atMs: number): AlertState {
  return { ...state, heardAtMs: Math.max(state.heardAtMs, atMs) };
}
