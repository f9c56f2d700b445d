import { createHash } from "node:crypto";
import type { Check } from "./check.ts";
import type { CheckGroup } from "./check-group.ts";
import type { ChannelSubscription } from "./check-settings.ts";

/**
 * Returns the ETag of a check with its channels. It changes with the settings, not with the status.
 */
export function tagCheck({ settings, variables }: Pick<Check, "settings" | "variables">): string {
  return digest([sortSubscriptions(settings), variables]);
}

/** Returns the ETag of a group with its current channels. It changes with every setting. */
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

/** PostgreSQL does not preserve the key order of JSON objects. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
