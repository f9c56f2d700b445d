/** The alert settings of a check and the circumstances that apply when a decision is made. */

export interface AlertSettings {
  readonly escalationType: "RUN_BASED" | "TIME_BASED";
  readonly runBasedEscalation: { readonly failedRunThreshold: number };
  readonly timeBasedEscalation: { readonly minutesFailingThreshold: number };
  readonly reminders: ReminderSettings;
  readonly parallelRunFailureThreshold: {
    readonly enabled: boolean;
    readonly percentage: number;
  };
  /** The defaults apply if omitted. */
  readonly sslCertificates?: { readonly enabled: boolean; readonly alertThreshold: number };
}

export interface ReminderSettings {
  /** 100000 means until the check recovers or the alert is acknowledged. */
  readonly amount: number;
  /** In minutes. */
  readonly interval: number;
}

export interface EscalationStage {
  /** Minutes after the first alert. */
  readonly afterMinutes: number;
  readonly channelIds: readonly number[];
}

export interface FlapDamping {
  /** Number of state changes sent within the window before damping starts. */
  readonly transitions: number;
  readonly windowMinutes: number;
}

export interface AlertRules {
  readonly settings: AlertSettings;
  readonly muted: boolean;
  readonly activated: boolean;
  readonly inMaintenance: (atMs: number) => boolean;
  /** Id of the failing parent; `null` if none fails. */
  readonly heldByParent: string | null;
  /**
   * On a run: the probe that executed it cannot reach its own anchors. On a tick: no probe that
   * serves the check can reach its anchors.
   */
  readonly probeIsSuspect: boolean;
  /**
   * The check runs only at private locations that are already reported as offline, so missing data
   * is not reported again.
   */
  readonly isLocationSilent?: boolean;
  readonly escalationStages: readonly EscalationStage[];
  readonly flapDamping: FlapDamping | null;
  /** `null` if missing data causes no alert. */
  readonly noDataMinutes: number | null;
}

/** Why a due alert is held. If several reasons apply, the first in this order is used. */
export type HoldReason =
  | "deactivated"
  | "muted"
  | "probe-suspect"
  | "in-maintenance"
  | "held-by-parent"
  | "location-silent"
  | "flapping";

export const minuteMs = 60_000;

/**
 * Returns the hold reason that applies, except the last two: "flapping" depends on the alert state,
 * and "location-silent" only holds alerts about missing data.
 */
export function findHold(rules: AlertRules, momentsMs: readonly number[]): HoldReason | null {
  if (!rules.activated) return "deactivated";
  if (rules.muted) return "muted";
  if (rules.probeIsSuspect) return "probe-suspect";
  if (momentsMs.some((atMs) => rules.inMaintenance(atMs))) return "in-maintenance";
  return rules.heldByParent === null ? null : "held-by-parent";
}
