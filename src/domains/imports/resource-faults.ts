import { type CheckType, kinds } from "../../kinds/index.ts";
import { type ChannelType, channelKinds, findConfigFault } from "../alert-channels/index.ts";
import { findBodyFault } from "../checks/index.ts";
import type { DesiredResource, ResourceType } from "./reading.ts";

type ChannelConfig = Parameters<typeof findConfigFault>[0]["config"];

const maxLogicalIdLength = 255;
const logicalIds = /^[A-Za-z0-9_\-/#.]+$/;

type Body = DesiredResource["payload"];

const isBody = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Stands for an id that does not exist yet. */
const someId = "00000000-0000-4000-8000-000000000000";

/** Removes references, which have no value yet, and gives those of an inner object some value. */
function withoutReferences(payload: Body): Record<string, unknown> {
  const fields = Object.entries(payload).filter(([, value]) => !isBody(value) || !("ref" in value));
  const fill = (value: unknown) => (isBody(value) && "ref" in value ? someId : value);
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      isBody(value)
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]))
        : value,
    ]),
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
