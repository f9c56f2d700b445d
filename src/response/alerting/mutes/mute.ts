import { toShortLine } from "../../../platform/text/clip.ts";
import type { TimedMute } from "../alert-rules.ts";

export const targetTypes = ["CHECK", "GROUP", "TAG", "ACCOUNT"] as const;

/** Target of a mute. Only the field that belongs to the type of the target is set. */
export interface MuteTarget {
  readonly type: (typeof targetTypes)[number];
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly tag: string | null;
}

/** A mute, which holds the alerts of a check, a group, a tag or the account until its end. */
export interface Mute {
  readonly id: string;
  readonly target: MuteTarget;
  readonly endsAt: Date;
  /** Reason for the mute; empty if none was given. */
  readonly reason: string;
  /** Name of the person or API key that created or last changed the mute. */
  readonly author: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Maximum number of mutes per account. */
export const maxMutes = 2_000;
/** Maximum number of targets per request, equal to the limit of checks in a bulk change. */
export const maxTargets = 1_000;
export const maxReasonLength = 500;
const maxMinutes = 366 * 24 * 60;

/** Returns the name that identifies a target within its account. */
export function nameTarget({ type, checkId, groupId, tag }: MuteTarget): string {
  switch (type) {
    case "CHECK":
      return `check ${checkId}`;
    case "GROUP":
      return `group ${groupId}`;
    case "TAG":
      return `tag ${tag}`;
    case "ACCOUNT":
      return "account";
  }
}

export interface TargetInput {
  readonly type: MuteTarget["type"];
  readonly checkId?: string | null | undefined;
  readonly groupId?: number | null | undefined;
  readonly tag?: string | null | undefined;
}

const fieldOf = { CHECK: "checkId", GROUP: "groupId", TAG: "tag", ACCOUNT: null } as const;

/**
 * Returns the target. If the input lacks the field that the type requires, returns the name of the
 * field instead.
 */
export function parseTarget(input: TargetInput): MuteTarget | { readonly lacks: string } {
  const { type } = input;
  const field = fieldOf[type];
  const none = { type, checkId: null, groupId: null, tag: null };
  if (field === null) return none;
  const value = input[field] ?? null;
  if (value === null) return { lacks: field };
  return { ...none, [field]: field === "checkId" ? String(value).toLowerCase() : value };
}

/** Returns the reason why a mute cannot end at the given time; `null` if the time is valid. */
export function findEndFault(endsAtMs: number, nowMs: number): string | null {
  if (Number.isNaN(endsAtMs)) return "must be an existing time";
  if (endsAtMs <= nowMs) return "must be in the future; send null to end the mute";
  if (endsAtMs > nowMs + maxMinutes * 60_000) return "must be at most 366 days ahead";
  return null;
}

/** Mutes that may apply to a batch of checks, indexed by account and target. */
export type MuteIndex = ReadonlyMap<string, TimedMute>;

export const nameOwned = (accountId: string, target: string) => `${accountId} ${target}`;

/** The data of a check that decides which mutes apply. The tags include those of the group. */
interface MutedLabels {
  readonly accountId: string;
  readonly checkId: string;
  readonly groupId: number | null;
  readonly tags: readonly string[];
}

/** Returns the mute that applies to a check and ends last; `null` if none applies. */
export function findTimedMute(mutes: MuteIndex, check: MutedLabels): TimedMute | null {
  if (mutes.size === 0) return null;
  const { accountId, checkId, groupId, tags } = check;
  const names = [
    `check ${checkId}`,
    ...(groupId === null ? [] : [`group ${groupId}`]),
    ...tags.map((tag) => `tag ${tag}`),
    "account",
  ];
  return names
    .map((name) => mutes.get(nameOwned(accountId, name)))
    .filter((one) => one !== undefined)
    .reduce<TimedMute | null>(
      (last, one) => (last === null || one.untilMs > last.untilMs ? one : last),
      null,
    );
}

/** Describes a mute, for example "until 2026-11-19 09:00 UTC by Anna: deployment". */
export function describeMute({ untilMs, by, reason }: TimedMute): string {
  const until = new Date(untilMs).toISOString().slice(0, 16).replace("T", " ");
  const why = reason === "" ? "" : `: ${toShortLine(reason, 200)}`;
  return `until ${until} UTC by ${toShortLine(by, 100)}${why}`;
}
