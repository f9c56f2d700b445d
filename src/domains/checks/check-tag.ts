import { createHash } from "node:crypto";
import type { Check } from "./check.ts";
import type { CheckGroup } from "./check-group.ts";
import type { ChannelSubscription } from "./check-settings.ts";

/**
 * Tells what somebody set in a check from everything else that may be set: a change of its status
 * is none. Of a check with its channels, as they are part of it.
 */
export function tagCheck({ settings, variables }: Pick<Check, "settings" | "variables">): string {
  return digest([sortSubscriptions(settings), variables]);
}

/** Returns the tag of a group with its current channels. It changes with every setting of it. */
export function tagGroup(group: Pick<CheckGroup, "name" | "settings" | "variables">): string {
  return digest([group.name, sortSubscriptions(group.settings), group.variables]);
}

function sortSubscriptions<
  Settings extends { readonly alertChannelSubscriptions: readonly ChannelSubscription[] },
>(settings: Settings): Settings {
  const alertChannelSubscriptions = [...settings.alertChannelSubscriptions].sort(
    (one, other) => one.alertChannelId - other.alertChannelId,
  );
  return { ...settings, alertChannelSubscriptions };
}

function digest(content: readonly unknown[]): string {
  const hash = createHash("sha256").update(JSON.stringify(content, sortKeys));
  return `"${hash.digest("base64url").slice(0, 22)}"`;
}

/** The database gives the keys of an object back in an order of its own. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
