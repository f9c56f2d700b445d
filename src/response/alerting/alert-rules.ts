import {
  type AlertMessage,
  decideUrgency,
  type Urgency,
} from "../../channels/alert-channels/index.ts";
import { findHoursStartMs, type WeekHours } from "../../platform/week-hours.ts";

/** Number of reminders that means "unlimited". */
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
  /** Settings of certificate alerts; the defaults apply if omitted. */
  readonly sslCertificates?: { readonly enabled: boolean; readonly alertThreshold: number };
}

export interface ReminderSettings {
  /** Maximum number of reminders. 100000 means until recovery or acknowledgement. */
  readonly amount: number;
  /** Minutes between an alert and its first reminder, and between two reminders. */
  readonly interval: number;
}

export interface EscalationStage {
  /** Minutes between the start of the escalation and this stage. */
  readonly afterMinutes: number;
  readonly channelIds: readonly number[];
  /**
   * Step and round of the escalation policy that this stage represents; `null` for the fallback of
   * the policy. Missing for stages that come from account settings.
   */
  readonly place?: { readonly round: number; readonly step: number } | null;
}

export interface FlapDamping {
  /**
   * Maximum number of state changes within `windowMinutes`. One more change starts flap damping.
   */
  readonly transitions: number;
  readonly windowMinutes: number;
}

/** A mute with an end time that applies to the check, its group, one of its tags or the account. */
export interface TimedMute {
  readonly untilMs: number;
  /** Name of the person or API key that created or last changed the mute. */
  readonly by: string;
  /** Reason for the mute; empty if none was given. */
  readonly reason: string;
}

export interface AlertRules {
  readonly settings: AlertSettings;
  readonly muted: boolean;
  /** The timed mute that applies to the check and ends last; `null` or omitted if none applies. */
  readonly timedMute?: TimedMute | null;
  /**
   * True during an evaluation without a new run if the alert state may be outdated: queued runs
   * have not been evaluated yet, or the server has just started. When a timed mute ends during this
   * time, the held alert is not sent yet. The next run or a later evaluation sends it.
   */
  readonly isCatchingUp?: boolean;
  readonly activated: boolean;
  readonly inMaintenance: (atMs: number) => boolean;
  /** Id of the failing parent check that holds alerts; `null` if there is none. */
  readonly heldByParent: string | null;
  /**
   * Whether results are suspect, because no probe that serves the check can reach its anchor hosts.
   * A probe can always reach these hosts, unless the probe's own network is down.
   */
  readonly probeIsSuspect: boolean;
  /** True if all locations of the check were already reported as offline to its channels. */
  readonly isLocationSilent?: boolean;
  readonly escalationStages: readonly EscalationStage[];
  /** Urgency of the check's alerts; omitted if the kind of each alert decides the urgency. */
  readonly urgency?: Urgency | undefined;
  /** Hours in which alerts of low urgency are escalated; omitted or `null` for any time. */
  readonly supportHours?: WeekHours | null | undefined;
  readonly flapDamping: FlapDamping | null;
  /** Minutes without data after which an alert is due; `null` if missing data causes no alert. */
  readonly noDataMinutes: number | null;
}

/** Why a due alert is held. If several reasons apply, the first in this list is used. */
export type HoldReason =
  | "deactivated"
  | "muted"
  | "probe-suspect"
  | "in-maintenance"
  | "held-by-parent"
  | "location-silent"
  | "flapping";

export const minuteMs = 60_000;

/** Whether a timed mute applies at the given time. The mute no longer applies at its end time. */
export function isMutedUntilLater({ timedMute = null }: AlertRules, atMs: number): boolean {
  return timedMute !== null && atMs < timedMute.untilMs;
}

/**
 * Returns the reason to hold an alert; `null` if there is none. The last of the given times is the
 * time of the decision. A timed mute is checked only at that time; maintenance is checked at all
 * given times. Two reasons are decided elsewhere: "flapping", which depends on the alert state, and
 * "location-silent", which only holds alerts about missing data.
 */
export function findHold(rules: AlertRules, momentsMs: readonly number[]): HoldReason | null {
  if (!rules.activated) return "deactivated";
  if (rules.muted || isMutedUntilLater(rules, momentsMs.at(-1) ?? 0)) return "muted";
  if (rules.probeIsSuspect) return "probe-suspect";
  if (momentsMs.some((atMs) => rules.inMaintenance(atMs))) return "in-maintenance";
  return rules.heldByParent === null ? null : "held-by-parent";
}

/** Sorts escalation stages by their minutes. Stages may be stored in any order. */
export function orderStages<Stage extends EscalationStage>(
  stages: readonly Stage[],
): readonly Stage[] {
  return stages.toSorted((one, other) => one.afterMinutes - other.afterMinutes);
}

/**
 * Returns when the escalation starts: immediately, or when the support hours start if the alert has
 * low urgency.
 */
export function findEscalationStartMs(
  { urgency, supportHours = null }: Pick<AlertRules, "urgency" | "supportHours">,
  kind: AlertMessage["kind"],
  atMs: number,
): number {
  if (supportHours === null || (urgency ?? decideUrgency(kind)) === "HIGH") return atMs;
  return findHoursStartMs(supportHours, atMs);
}

/** Returns a description of the given stage, such as "step 1 of 3, round 2 of 2". */
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

/** Progress of an alert through its escalation stages. */
export interface StageProgress {
  /** Number of stages reached. */
  readonly reached: number;
  /** Stages up to this number are due immediately, regardless of their minutes; 0 for none. */
  readonly hurriedTo: number;
}

/** Lists the stages that are due but not reached yet, in the order of their minutes. */
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

/** Returns milliseconds from the start of escalation to the next stage; `null` if none is left. */
export function findNextStageMs(
  stages: readonly EscalationStage[],
  { reached, hurriedTo }: StageProgress,
): number | null {
  const next = orderStages(stages)[reached];
  if (next === undefined) return null;
  return hurriedTo > reached ? 0 : next.afterMinutes * minuteMs;
}

/** Returns the number of the next stage that has an existing channel; `null` if there is none. */
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

/** Lists the channel ids of the escalation stages reached so far. */
export function listReachedChannelIds(
  stages: readonly EscalationStage[],
  reached: number,
): readonly number[] {
  const channelIds = orderStages(stages)
    .slice(0, reached)
    .flatMap((stage) => stage.channelIds);
  return [...new Set(channelIds)];
}

/** Returns when the next reminder is due; `null` if no alert was sent or no reminder is left. */
export function findReminderDueMs(
  reminders: ReminderSettings,
  sent: { readonly remindersSent: number; readonly lastAlertAtMs: number | null },
): number | null {
  if (sent.lastAlertAtMs === null) return null;
  const isEndless = reminders.amount >= endlessAmount;
  if (!isEndless && sent.remindersSent >= reminders.amount) return null;
  return sent.lastAlertAtMs + reminders.interval * minuteMs;
}
