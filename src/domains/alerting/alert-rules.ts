/** What is set for a check, and what holds around it at the moment of a decision. */

/** The shape of the settings that the room of the checks keeps. */
export interface AlertSettings {
  readonly escalationType: "RUN_BASED" | "TIME_BASED";
  readonly runBasedEscalation: { readonly failedRunThreshold: number };
  readonly timeBasedEscalation: { readonly minutesFailingThreshold: number };
  readonly reminders: ReminderSettings;
  readonly parallelRunFailureThreshold: {
    readonly enabled: boolean;
    readonly percentage: number;
  };
}

export interface ReminderSettings {
  /** 100000 stands for: until somebody does something. */
  readonly amount: number;
  /** In minutes; the name is the wire's. */
  readonly interval: number;
}

export interface EscalationStage {
  /** Counted from the alert that opened the trouble. */
  readonly afterMinutes: number;
  readonly channelIds: readonly number[];
}

export interface FlapDamping {
  /** So many told changes within the window are still told one by one. */
  readonly transitions: number;
  readonly windowMinutes: number;
}

export interface AlertRules {
  readonly settings: AlertSettings;
  readonly muted: boolean;
  readonly activated: boolean;
  readonly inMaintenance: (atMs: number) => boolean;
  /** The id of a check that fails and that this one depends on. */
  readonly heldByParent: string | null;
  /**
   * For a run: the probe that ran it cannot reach its own anchors. For a tick of time: this is
   * so for every probe of the check.
   */
  readonly probeIsSuspect: boolean;
  readonly escalationStages: readonly EscalationStage[];
  readonly flapDamping: FlapDamping | null;
  /** Null: silence is never told. */
  readonly noDataMinutes: number | null;
}

/** Why something that is due is not told, although it is true. The first that applies is named. */
export type HoldReason =
  | "deactivated"
  | "muted"
  | "probe-suspect"
  | "in-maintenance"
  | "held-by-parent"
  | "flapping";

export const minuteMs = 60_000;

/** Flapping is not among them: it depends on the state, the rest on the world alone. */
export function findHold(rules: AlertRules, momentsMs: readonly number[]): HoldReason | null {
  if (!rules.activated) return "deactivated";
  if (rules.muted) return "muted";
  if (rules.probeIsSuspect) return "probe-suspect";
  if (momentsMs.some((atMs) => rules.inMaintenance(atMs))) return "in-maintenance";
  return rules.heldByParent === null ? null : "held-by-parent";
}
