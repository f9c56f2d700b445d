import { createHash } from "node:crypto";
import type { Check } from "./check.ts";

/**
 * Tells what somebody set in a check from everything else that may be set: a change of its status
 * is none. Of a check with its channels, as they are part of it.
 */
export function tagCheck({ settings, variables }: Pick<Check, "settings" | "variables">): string {
  const subscriptions = [...settings.alertChannelSubscriptions].sort(
    (one, other) => one.alertChannelId - other.alertChannelId,
  );
  const content = [{ ...settings, alertChannelSubscriptions: subscriptions }, variables];
  const digest = createHash("sha256").update(JSON.stringify(content, sortKeys)).digest("base64url");
  return `"${digest.slice(0, 22)}"`;
}

/** The database gives the keys of an object back in an order of its own. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
