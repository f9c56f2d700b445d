/** Pure functions for members, whom the code of a project references by email address. */
import { invalid } from "../../platform/errors.ts";
import type { Fields, ResourceType } from "./resource.ts";

/** Resource types with fields that reference members. */
const memberTypes: readonly ResourceType[] = [
  "on-call-schedule",
  "alert-channel",
  "escalation-policy",
];

/** Fields that contain the id of a member, or a list of such ids. */
export const memberFields: ReadonlySet<string> = new Set(["participants", "userId"]);

/** User ids, keyed by email address in lower case. */
export type MemberIds = ReadonlyMap<string, string>;

function resolveValue(
  value: unknown,
  { path, members }: { readonly path: readonly string[]; readonly members: MemberIds },
): unknown {
  const field = path.findLast((step) => !/^\d+$/.test(step)) ?? "";
  if (typeof value === "string" && memberFields.has(field) && value.includes("@")) {
    const id = members.get(value.toLowerCase());
    if (id !== undefined) return id;
    const rule = `names ${value}, who is not a member of this account; invite them first`;
    throw invalid(path.join("."), rule);
  }
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      resolveValue(item, { path: [...path, String(index)], members }),
    );
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      resolveValue(item, { path: [...path, key], members }),
    ]),
  );
}

/** Replaces the email addresses of members with their user ids. */
export function resolveMembers(type: ResourceType, payload: Fields, members: MemberIds): Fields {
  return memberTypes.includes(type)
    ? (resolveValue(payload, { path: [], members }) as Fields)
    : payload;
}

type Exists = (type: ResourceType | "member", id: unknown) => boolean;

interface Layer {
  readonly participants: readonly string[];
}

interface Target {
  readonly userId?: string;
  readonly scheduleId?: string;
  readonly channelId?: number;
}

interface Step {
  readonly targets: readonly Target[];
}

const hasTarget = ({ userId, scheduleId, channelId }: Target, exists: Exists) =>
  (userId && exists("member", userId)) ||
  (scheduleId && exists("on-call-schedule", scheduleId)) ||
  (channelId && exists("alert-channel", channelId)) ||
  false;

/**
 * Removes references to former members and deleted targets. Also removes layers, steps and
 * resources that would page nobody without these references. Returns `null` if the whole resource
 * must be removed. A schedule without layers is valid and remains; a policy without steps is not
 * valid.
 */
export function omitMissing(type: ResourceType, clear: Fields, exists: Exists): Fields | null {
  if (type === "on-call-schedule") {
    const layers = (clear.layers as Layer[])
      .map(({ participants, ...layer }) => {
        return { ...layer, participants: participants.filter((id) => exists("member", id)) };
      })
      .filter(({ participants }) => participants.length > 0);
    return { ...clear, layers };
  }
  if (type === "escalation-policy") {
    const steps = (clear.steps as Step[])
      .map(({ targets, ...step }) => {
        return { ...step, targets: targets.filter((target) => hasTarget(target, exists)) };
      })
      .filter(({ targets }) => targets.length > 0);
    return steps.length === 0 ? null : { ...clear, steps };
  }
  if (type === "alert-channel-subscription") {
    return exists("alert-channel", clear.alertChannelId) ? clear : null;
  }
  if (type === "alert-channel") {
    return clear.type === "ONCALL" && !hasTarget(clear.config as Target, exists) ? null : clear;
  }
  const { escalationPolicyId: policyId, ...settings } = (clear.alertSettings ?? {}) as Fields;
  return !policyId || exists("escalation-policy", policyId)
    ? clear
    : { ...clear, alertSettings: settings };
}
