import { findHoursStartMs, type WeekHours } from "../../platform/week-hours.ts";
import { type AlertMessage, decideUrgency, type Urgency } from "../alert-channels/index.ts";

/** The amount that means unlimited reminders. */
export const endlessAmount = 100_000;

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
  /** Step and round of a policy; `null` for its fallback. Missing for stages of an account. */
  readonly place?: { readonly round: number; readonly step: number } | null;
}

export interface FlapDamping {
  /** Number of state changes sent within the window before damping starts. */
  readonly transitions: number;
  readonly windowMinutes: number;
}

/** A mute that ends by itself, of the check, its group, one of its tags or the account. */
export interface TimedMute {
  readonly untilMs: number;
  /** Name of the person or API key. */
  readonly by: string;
  /** Empty if none was given. */
  readonly reason: string;
}

export interface AlertRules {
  readonly settings: AlertSettings;
  readonly muted: boolean;
  /** The mute that ends last, of those that apply; `null` or omitted if there is none. */
  readonly timedMute?: TimedMute | null;
  /**
   * On a tick: runs wait to be decided, or this server has just started, so the state may be
   * outdated. What a mute held is sent by the next run or by a later tick.
   */
  readonly isCatchingUp?: boolean;
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
  /** The urgency of the check's alerts; omitted if their kind decides it. */
  readonly urgency?: Urgency | undefined;
  /** When alerts of low urgency are escalated; omitted if at any time. */
  readonly supportHours?: WeekHours | null | undefined;
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

/** Whether a mute with an end applies at a time. The end is excluded. */
export function isMutedUntilLater({ timedMute = null }: AlertRules, atMs: number): boolean {
  return timedMute !== null && atMs < timedMute.untilMs;
}

/**
 * Returns the hold reason that applies, except the last two: "flapping" depends on the alert state,
 * and "location-silent" only holds alerts about missing data. The last of the times is that of the
 * decision, which is the only one that counts for a mute.
 */
export function findHold(rules: AlertRules, momentsMs: readonly number[]): HoldReason | null {
  if (!rules.activated) return "deactivated";
  if (rules.muted || isMutedUntilLater(rules, momentsMs.at(-1) ?? 0)) return "muted";
  if (rules.probeIsSuspect) return "probe-suspect";
  if (momentsMs.some((atMs) => rules.inMaintenance(atMs))) return "in-maintenance";
  return rules.heldByParent === null ? null : "held-by-parent";
}

/** Sorts stages by time; they are stored in any order. */
export function orderStages<Stage extends EscalationStage>(
  stages: readonly Stage[],
): readonly Stage[] {
  return stages.toSorted((one, other) => one.afterMinutes - other.afterMinutes);
}

/** Returns when the escalation of an alert starts: at once, or with the support hours. */
export function findEscalationStartMs(
  { urgency, supportHours = null }: Pick<AlertRules, "urgency" | "supportHours">,
  kind: AlertMessage["kind"],
  atMs: number,
): number {
  if (supportHours === null || (urgency ?? decideUrgency(kind)) === "HIGH") return atMs;
  return findHoursStartMs(supportHours, atMs);
}

/** Describes a stage by its number: "step 1 of 3, round 2 of 2". */
export function describeStage(stages: readonly EscalationStage[], number: number): string {
  const ordered = orderStages(stages);
  const place = ordered[number - 1]?.place;
  if (place === undefined) return `stage ${number} of ${ordered.length}`;
  if (place === null) return "the fallback";
  const places = ordered.flatMap((stage) => stage.place ?? []);
  const steps = Math.max(...places.map(({ step }) => step));
  const rounds = Math.max(...places.map(({ round }) => round));
  const round = rounds === 1 ? "" : `, round ${place.round} of ${rounds}`;
  return `step ${place.step} of ${steps}${round}`;
}

/** How far an alert has escalated. */
export interface StageProgress {
  /** Number of stages reached. */
  readonly reached: number;
  /** Stages up to this one do not wait for their minutes. */
  readonly hurriedTo: number;
}

/** Lists the stages that are due but not reached yet, earliest first. */
export function listDueStages<Stage extends EscalationStage>(
  stages: readonly Stage[],
  { reached, hurriedTo }: StageProgress,
  elapsedMs: number,
): readonly Stage[] {
  return orderStages(stages)
    .slice(reached)
    .filter(
      (stage, index) => reached + index < hurriedTo || elapsedMs >= stage.afterMinutes * minuteMs,
    );
}

/** Returns how long after the alert the next stage is due; `null` if there is none. */
export function findNextStageMs(
  stages: readonly EscalationStage[],
  { reached, hurriedTo }: StageProgress,
): number | null {
  const next = orderStages(stages)[reached];
  if (next === undefined) return null;
  return hurriedTo > reached ? 0 : next.afterMinutes * minuteMs;
}

/**
 * Returns the number of the stage that follows if a page reaches nobody: the next one that has a
 * channel. `null` if there is none.
 */
export function findReachableStage(
  stages: readonly EscalationStage[],
  reached: number,
  existing: { readonly has: (channelId: number) => boolean },
): number | null {
  const index = orderStages(stages).findIndex(
    ({ channelIds }, place) => place >= reached && channelIds.some((id) => existing.has(id)),
  );
  return index < 0 ? null : index + 1;
}

/** Lists the channels of the stages reached so far. */
export function listReachedChannelIds(
  stages: readonly EscalationStage[],
  reached: number,
): readonly number[] {
  const channelIds = orderStages(stages)
    .slice(0, reached)
    .flatMap((stage) => stage.channelIds);
  return [...new Set(channelIds)];
}

/** Returns when the next reminder is due; `null` if none is. */
export function findReminderDueMs(
  reminders: ReminderSettings,
  sent: { readonly remindersSent: number; readonly lastAlertAtMs: number | null },
): number | null {
  if (sent.lastAlertAtMs === null) return null;
  const isEndless = reminders.amount >= endlessAmount;
  if (!isEndless && sent.remindersSent >= reminders.amount) return null;
  return sent.lastAlertAtMs + reminders.interval * minuteMs;
}
