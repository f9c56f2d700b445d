import {
  type AlertChannel,
  type ChannelType,
  channelKinds,
  insertCheckSubscriptions,
  listAutoSubscribing,
  listChannelsByIds,
  listExistingChannelIds,
  listSubscriptions,
  maskConfig,
  type Subscription,
  unsealChannel,
} from "../../channels/alert-channels/index.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { Check } from "./check.ts";
import type { CheckGroup } from "./check-group.ts";
import type { ChannelSubscription } from "./check-settings.ts";

export interface SubscribedCheck extends Check {
  readonly channels: readonly AlertChannel[];
}

/** Returns the checks with the channels they subscribe to. Secrets of the channels are masked. */
export async function withChannels(
  context: { readonly db: Database; readonly encryption: Encryption },
  accountId: string,
  checks: readonly Check[],
): Promise<SubscribedCheck[]> {
  const checkIds = checks.map((check) => check.id);
  const all = await listSubscriptions(context.db, accountId, { checkIds });
  const ids = [...new Set(all.map((one) => one.alertChannelId))];
  const channels = (await listChannelsByIds(context.db, accountId, ids)).map((channel) => {
    const kind = channelKinds[channel.type as ChannelType];
    const opened = unsealChannel(context, channel);
    return { ...opened, config: maskConfig(kind, opened.config) };
  });
  return checks.map((check) => attach(check, all, channels));
}

function attach(
  check: Check,
  all: readonly Subscription[],
  channels: readonly AlertChannel[],
): SubscribedCheck {
  const own = all.filter((one) => one.checkId === check.id);
  const alertChannelSubscriptions = own.map(({ alertChannelId, activated }) => ({
    alertChannelId,
    activated,
  }));
  const active = new Set(own.filter((one) => one.activated).map((one) => one.alertChannelId));
  return {
    ...check,
    settings: { ...check.settings, alertChannelSubscriptions },
    channels: channels.filter((channel) => active.has(channel.id)),
  };
}

/**
 * Adds the current subscriptions to each group. The stored settings may be outdated, because
 * subscriptions also change through the API of channels.
 */
export async function withGroupChannels(
  db: Database,
  accountId: string,
  groups: readonly CheckGroup[],
): Promise<CheckGroup[]> {
  const groupIds = groups.map(({ id }) => id);
  const all = await listSubscriptions(db, accountId, { groupIds });
  return groups.map((group) => {
    const alertChannelSubscriptions = all
      .filter(({ groupId }) => groupId === group.id)
      .map(({ alertChannelId, activated }) => ({ alertChannelId, activated }));
    return { ...group, settings: { ...group.settings, alertChannelSubscriptions } };
  });
}

/** Returns the indexes of subscriptions to channels that do not exist in the account. */
export async function findUnknownChannels(
  db: Database,
  accountId: string,
  named: readonly ChannelSubscription[],
): Promise<number[]> {
  if (named.length === 0) return [];
  const ids = named.map((one) => one.alertChannelId);
  const existing = await listExistingChannelIds(db, accountId, ids);
  return [...named.keys()].filter((index) => !existing.has(named[index]?.alertChannelId ?? 0));
}

/** Adds the channels with `autoSubscribe` that the list does not contain yet. */
export async function addAutoSubscribing(
  db: Database,
  accountId: string,
  chosen: readonly ChannelSubscription[],
): Promise<ChannelSubscription[]> {
  const chosenIds = new Set(chosen.map((one) => one.alertChannelId));
  const more = (await listAutoSubscribing(db, accountId)).filter((id) => !chosenIds.has(id));
  return [...chosen, ...more.map((alertChannelId) => ({ alertChannelId, activated: true }))];
}

/**
 * Subscribes new checks to the channels in their request, or to all channels if `autoAssignAlerts`
 * is set and the request has no list. Channels with `autoSubscribe` are always added.
 */
export async function subscribeNewChecks(
  db: Database,
  accountId: string,
  checks: readonly {
    readonly id: string;
    readonly named: readonly ChannelSubscription[] | undefined;
    readonly autoAssignAlerts: boolean;
  }[],
): Promise<void> {
  const needsAll = checks.some(({ named, autoAssignAlerts }) => autoAssignAlerts && !named);
  const all = needsAll ? await listExistingChannelIds(db, accountId, null) : new Set<number>();
  const subscribing = await addAutoSubscribing(db, accountId, []);
  const subscriptions = checks.flatMap(({ id: checkId, named, autoAssignAlerts }) => {
    const every = autoAssignAlerts ? [...all] : [];
    const chosen = named ?? every.map((alertChannelId) => ({ alertChannelId, activated: true }));
    const chosenIds = new Set(chosen.map(({ alertChannelId }) => alertChannelId));
    const more = subscribing.filter(({ alertChannelId }) => !chosenIds.has(alertChannelId));
    return [...chosen, ...more].map((one) => ({ ...one, checkId }));
  });
  await insertCheckSubscriptions(db, accountId, subscriptions);
}
