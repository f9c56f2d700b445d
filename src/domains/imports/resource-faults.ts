import { type CheckType, kinds } from "../../kinds/index.ts";
import { type ChannelType, channelKinds, findConfigFault } from "../alert-channels/index.ts";
import { findBodyFault } from "../checks/index.ts";
import type { DesiredResource, ResourceType } from "./reading.ts";

type ChannelConfig = Parameters<typeof findConfigFault>[0]["config"];

const maxLogicalIdLength = 255;
const logicalIds = /^[A-Za-z0-9_\-/#.]+$/;

/** Removes references, which have no value yet, from the top level of a body. */
function withoutReferences(payload: DesiredResource["payload"]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(payload).filter(
      ([, value]) => typeof value !== "object" || value === null || !("ref" in value),
    ),
  );
}

/** Returns why a resource cannot be created here, or `null`. */
export function findResourceFault(
  { type, logicalId, payload }: DesiredResource,
  { allowPrivate }: { readonly allowPrivate: boolean },
): string | null {
  if (logicalId.length > maxLogicalIdLength || !logicalIds.test(logicalId)) {
    return "Its identifier is not valid.";
  }
  if (type === "check") {
    const fault = findBodyFault(structuredClone(withoutReferences(payload)));
    return fault === null ? null : `It is not valid here: ${fault}.`;
  }
  if (type === "alert-channel") {
    if (!Object.hasOwn(channelKinds, String(payload.type))) return "There is no such channel here.";
    const channel = { type: payload.type as ChannelType, config: payload.config as ChannelConfig };
    const fault = findConfigFault(structuredClone(channel), allowPrivate);
    return fault === null ? null : `It is not valid here: ${fault.key} ${fault.rule}.`;
  }
  return null;
}

const nouns: Readonly<Record<Exclude<ResourceType, "check">, string>> = {
  "alert-channel": "alert channel",
  "check-group": "group",
  "alert-channel-subscription": "subscription",
  "status-page-service": "service",
  "status-page": "status page",
  "maintenance-window": "maintenance window",
};

/** Names what a resource becomes, such as "URL check". */
export function describeResource({ type, payload }: DesiredResource): string {
  if (type === "check") {
    return kinds[payload.checkType as CheckType].words.aCheck.replace(/^an? /, "");
  }
  if (type === "alert-channel") return `${payload.type} channel`;
  return nouns[type];
}
