import { findWeekHoursFault, type WeekHours } from "../../platform/week-hours.ts";
import { type AlertChannel, createTargetChannel } from "../alert-channels/index.ts";

/** Target of an escalation step: a schedule, a member or a channel. */
export type EscalationTarget =
  | { readonly scheduleId: string }
  | { readonly userId: string }
  | { readonly channelId: number };

export interface EscalationStep {
  /** Minutes between the start of a round and this step. */
  readonly afterMinutes: number;
  readonly targets: readonly EscalationTarget[];
}

export interface PolicyInput {
  readonly name: string;
  readonly steps: readonly EscalationStep[];
  /** Number of rounds after the first round. */
  readonly repeat: number;
  /** Minutes from the last step of a round to the start of the next round, or to the fallback. */
  readonly repeatAfterMinutes: number;
  readonly usesFallback: boolean;
  /** Hours in which alerts of low urgency are escalated; `null` for any time. */
  readonly supportHours: WeekHours | null;
}

/** An escalation step with the ids of the channels through which its targets are alerted. */
export interface StoredStep extends EscalationStep {
  readonly channelIds: readonly number[];
}

export interface EscalationPolicy extends Omit<PolicyInput, "steps" | "usesFallback"> {
  readonly id: string;
  readonly steps: readonly StoredStep[];
  readonly fallbackChannelId: number | null;
  /** Whether the policy was created from the `escalationStages` of the account settings. */
  readonly isFromStages: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** The channels that are alerted at the same time of an escalation. */
export interface PolicyStage {
  /** Minutes between the start of the escalation and this stage. */
  readonly afterMinutes: number;
  readonly channelIds: readonly number[];
  /** Round and step of the stage, counted from 1; `null` for the fallback. */
  readonly place: { readonly round: number; readonly step: number } | null;
}

export const maxPolicies = 100;
export const maxSteps = 10;
export const maxTargets = 10;
export const maxRepeat = 9;
export const maxStepMinutes = 10_080;
export const maxRepeatMinutes = 1_440;

/** Lists the stages of a policy: the steps of each round, and then the fallback. */
export function listPolicyStages(
  policy: Pick<EscalationPolicy, "steps" | "repeat" | "repeatAfterMinutes" | "fallbackChannelId">,
): PolicyStage[] {
  const { repeat, repeatAfterMinutes, fallbackChannelId } = policy;
  const steps = policy.steps.toSorted((one, other) => one.afterMinutes - other.afterMinutes);
  const roundMinutes = (steps.at(-1)?.afterMinutes ?? 0) + repeatAfterMinutes;
  const rounds = Array.from({ length: repeat + 1 }, (_, round) =>
    steps.map(({ afterMinutes, channelIds }, index) => ({
      afterMinutes: round * roundMinutes + afterMinutes,
      channelIds,
      place: { round: round + 1, step: index + 1 },
    })),
  );
  const stages: PolicyStage[] = rounds.flat();
  if (fallbackChannelId === null) return stages;
  const afterMinutes = (repeat + 1) * roundMinutes;
  return [...stages, { afterMinutes, channelIds: [fallbackChannelId], place: null }];
}

/** Checks, groups and account settings that use a policy. */
export interface PolicyUses {
  readonly isOfAccount: boolean;
  readonly checkNames: readonly string[];
  readonly groupNames: readonly string[];
}

const maxNames = 5;

function listNames(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, maxNames).join(", ");
  const more = names.length > maxNames ? ", …" : "";
  return [`${names.length} ${what}${names.length === 1 ? "" : "s"} (${shown}${more})`];
}

/** Describes where a policy is used, such as "2 checks (Shop, API)"; `null` if nowhere. */
export function describeUses({ isOfAccount, checkNames, groupNames }: PolicyUses): string | null {
  const parts = [
    ...(isOfAccount ? ["the account's alert settings"] : []),
    ...listNames("check", checkNames),
    ...listNames("group", groupNames),
  ];
  return parts.length === 0 ? null : new Intl.ListFormat("en").format(parts);
}

/** Returns a key that is equal for equal targets. */
export const keyOfTarget = (target: EscalationTarget) => JSON.stringify(target);

/** Returns the first invalid field of a policy and the reason; `null` if the policy is valid. */
export function findPolicyFault({
  steps,
  supportHours,
}: Pick<PolicyInput, "steps" | "supportHours">): {
  readonly key: string;
  readonly rule: string;
} | null {
  for (const [index, { afterMinutes, targets }] of steps.entries()) {
    if (afterMinutes < (steps[index - 1]?.afterMinutes ?? 0)) {
      const rule = "must not be less than that of the step before; sort the steps by time";
      return { key: `steps.${index}.afterMinutes`, rule };
    }
    const keys = targets.map(keyOfTarget);
    const repeated = keys.findIndex((key, place) => keys.indexOf(key) < place);
    if (repeated >= 0) {
      return {
        key: `steps.${index}.targets.${repeated}`,
        rule: "repeats an earlier target; remove one of them",
      };
    }
  }
  const fault = supportHours === null ? null : findWeekHoursFault(supportHours);
  return fault && { key: `supportHours.${fault.key}`, rule: fault.rule };
}

/** A policy that is not stored, with the channels that would be created for its targets. */
export interface DraftPolicy
  extends Pick<EscalationPolicy, "steps" | "repeat" | "repeatAfterMinutes" | "supportHours"> {
  readonly fallbackChannelId: number | null;
  /** Channels that would be created. Their ids are negative, unlike those of stored channels. */
  readonly channels: readonly AlertChannel[];
}

/** Prepares an unsaved policy for a rehearsal. Stores nothing. */
export function draftPolicy({
  usesFallback,
  steps,
  ...rest
}: Omit<PolicyInput, "name">): DraftPolicy {
  const channels = new Map<string, AlertChannel>();
  const obtain = (paged: { readonly scheduleId?: string; readonly userId?: string }) => {
    const target = { scheduleId: null, userId: null, ...paged };
    const key = JSON.stringify(target);
    const id = channels.get(key)?.id ?? -1 - channels.size;
    const made = { createdAt: new Date(0), updatedAt: null, version: 1 };
    channels.set(key, { ...createTargetChannel(target), ...made, id });
    return id;
  };
  const drafted = steps.map(({ afterMinutes, targets }) => ({
    afterMinutes,
    targets,
    channelIds: targets.map((one) => ("channelId" in one ? one.channelId : obtain(one))),
  }));
  const fallbackChannelId = usesFallback ? obtain({}) : null;
  return { ...rest, steps: drafted, fallbackChannelId, channels: [...channels.values()] };
}
