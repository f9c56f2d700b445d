import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
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
} from "../alert-channels/index.ts";
import type { Check } from "./check.ts";
import type { CheckGroup } from "./check-group.ts";
import type { ChannelSubscription } from "./check-settings.ts";

export interface SubscribedCheck extends Check {
  readonly channels: readonly AlertChannel[];
}

/** Adds to each check the channels it subscribes to, with masked secrets. */
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
 * Adds to each group its current channels. Channels can be subscribed through their own API, which
 * does not change the stored settings of a group.
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

/** Returns the indexes of subscriptions whose channel does not exist in the account. */
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

/** Adds channels with `autoSubscribe` that are not in the list. */
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
 * Subscribes new checks to their listed channels (or to all channels if requested), and to those
 * with `autoSubscribe`.
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
