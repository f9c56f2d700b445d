import { tagContent } from "../../platform/http/send.ts";
import type { Check } from "./check.ts";
import type { CheckGroup } from "./check-group.ts";
import type { ChannelSubscription } from "./check-settings.ts";

/**
 * Returns the ETag of a check with its channels. It changes with the settings, not with the status.
 */
export function tagCheck({ settings, variables }: Pick<Check, "settings" | "variables">): string {
  return tagContent([sortSubscriptions(settings), variables]);
}

/** Returns the ETag of a group with its current channels. It changes with every setting. */
export function tagGroup(group: Pick<CheckGroup, "name" | "settings" | "variables">): string {
  return tagContent([group.name, sortSubscriptions(group.settings), group.variables]);
}

function sortSubscriptions<
  Settings extends { readonly alertChannelSubscriptions: readonly ChannelSubscription[] },
>(settings: Settings): Settings {
  const alertChannelSubscriptions = [...settings.alertChannelSubscriptions].sort(
    (one, other) => one.alertChannelId - other.alertChannelId,
  );
  return { ...settings, alertChannelSubscriptions };
}
