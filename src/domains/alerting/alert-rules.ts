/** The settings of a check, and the circumstances at the moment of a decision. */

export interface AlertSettings {
  readonly escalationType: "RUN_BASED" | "TIME_BASED";
  readonly runBasedEscalation: { readonly failedRunThreshold: number };
  readonly timeBasedEscalation: { readonly minutesFailingThreshold: number };
  readonly reminders: ReminderSettings;
  readonly parallelRunFailureThreshold: {
    readonly enabled: boolean;
    readonly percentage: number;
  };
  /** Left out: as its defaults say. */
  readonly sslCertificates?: { readonly enabled: boolean; readonly alertThreshold: number };
}

export interface ReminderSettings {
  /** 100000 means: until the check recovers or the alert is acknowledged. */
  readonly amount: number;
  /** In minutes. */
  readonly interval: number;
}

export interface EscalationStage {
  /** Counted from the first alert. */
  readonly afterMinutes: number;
  readonly channelIds: readonly number[];
}

export interface FlapDamping {
  /** How many changes are sent within the window before alerts are damped. */
  readonly transitions: number;
  readonly windowMinutes: number;
}

export interface AlertRules {
  readonly settings: AlertSettings;
  readonly muted: boolean;
  readonly activated: boolean;
  readonly inMaintenance: (atMs: number) => boolean;
  /** The id of a failing parent. */
  readonly heldByParent: string | null;
  /**
   * For a run: the probe that ran it cannot reach its own anchors. For a tick: no probe of the
   * check can.
   */
  readonly probeIsSuspect: boolean;
  /** It runs only at private locations whose silence has been told: that says it all. */
  readonly isLocationSilent?: boolean;
  readonly escalationStages: readonly EscalationStage[];
  readonly flapDamping: FlapDamping | null;
  /** Null: no alert when there is no data. */
  readonly noDataMinutes: number | null;
}

/** Why a due alert is held. If several apply, the first in this order. */
export type HoldReason =
  | "deactivated"
  | "muted"
  | "probe-suspect"
  | "in-maintenance"
  | "held-by-parent"
  | "location-silent"
  | "flapping";

export const minuteMs = 60_000;

/** All but the last two: flapping depends on the state, a silent location holds no-data only. */
export function findHold(rules: AlertRules, momentsMs: readonly number[]): HoldReason | null {
  if (!rules.activated) return "deactivated";
  if (rules.muted) return "muted";
  if (rules.probeIsSuspect) return "probe-suspect";
  if (momentsMs.some((atMs) => rules.inMaintenance(atMs))) return "in-maintenance";
  return rules.heldByParent === null ? null : "held-by-parent";
}
