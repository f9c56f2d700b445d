import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { channelsQuery, describeChannel } from "../alerts/index.ts";
import {
  nowQuery,
  type Policy,
  type PolicyStep,
  type PolicyTarget,
  peopleQuery,
  policiesQuery,
} from "./queries.ts";
import { words } from "./words.ts";

const own = words.policies;

/** Names of the targets of a policy, by the key that `keyOf` returns. */
type TargetNames = ReadonlyMap<string, string>;

/**
 * Returns the key of a target: the prefix "s:", "u:" or "c:" and the id of a schedule, user or
 * channel.
 */
export function keyOf({ scheduleId, userId, channelId }: PolicyTarget): string {
  if (scheduleId !== undefined) return `s:${scheduleId}`;
  return userId === undefined ? `c:${channelId}` : `u:${userId}`;
}

export function parseKey(key: string): PolicyTarget {
  const id = key.slice(2);
  if (key.startsWith("s:")) return { scheduleId: id };
  return key.startsWith("u:") ? { userId: id } : { channelId: Number(id) };
}

function nameTargets(found: {
  readonly schedules: readonly { readonly scheduleId: string; readonly scheduleName: string }[];
  readonly people: readonly { readonly userId: string; readonly name: string }[];
  readonly channels: readonly { readonly id: number; readonly name: string }[];
}): TargetNames {
  return new Map([
    ...found.schedules.map((one) => [`s:${one.scheduleId}`, one.scheduleName] as const),
    ...found.people.map((one) => [`u:${one.userId}`, one.name] as const),
    ...found.channels.map((one) => [`c:${one.id}`, one.name] as const),
  ]);
}

export function describeStep({ afterMinutes, targets }: PolicyStep, names: TargetNames): string {
  const named = targets.map((target) => names.get(keyOf(target)) ?? own.deleted);
  const all = named.length === 0 ? own.noTarget : named.join(", ");
  return afterMinutes === 0 ? own.atOnce(all) : own.after(afterMinutes, all);
}

/** Describes a policy in sentences, in the order in which the policy alerts people. */
export function describePolicy(
  policy: Pick<Policy, "steps" | "repeat" | "repeatAfterMinutes" | "useFallback">,
  names: TargetNames,
): string[] {
  const { steps, repeat, repeatAfterMinutes, useFallback } = policy;
  return [
    ...steps.map((step) => describeStep(step, names)),
    ...(repeat === 0 ? [] : [own.repeated(repeat, repeatAfterMinutes)]),
    useFallback ? own.thenFallback(repeatAfterMinutes) : own.noFallback,
  ];
}

/** Returns the sentences of a policy; `null` without a policy, or while it is loading. */
export function usePolicySentences(policyId: string | null): readonly string[] | null {
  const { data: policies } = useQuery(policiesQuery);
  const names = useTargetNames();
  const policy = policies?.find(({ id }) => id === policyId);
  return policy === undefined ? null : describePolicy(policy, names);
}

/** Returns the names of the schedules, members and channels that a policy can alert. */
export function useTargetNames(): TargetNames {
  const { data: schedules } = useQuery(nowQuery);
  const { data: people } = useQuery(peopleQuery);
  const { data: channels } = useQuery(channelsQuery);
  return useMemo(
    () =>
      nameTargets({
        schedules: schedules ?? [],
        people: people ?? [],
        channels: (channels ?? []).map((one) => ({ id: one.id, name: describeChannel(one) })),
      }),
    [schedules, people, channels],
  );
}
