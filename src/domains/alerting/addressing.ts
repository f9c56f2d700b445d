import type { Database } from "../../platform/database.ts";
import { createOrderedIds } from "../../platform/ordered-id.ts";
import {
  type AlertChannel,
  acceptsDigests,
  describeChannel,
  mapChannels,
  mapSubscribedChannelIds,
  unsealChannel,
} from "../alert-channels/index.ts";
import type { Watched } from "../schedule/index.ts";
import type { AlertMessages, OutgoingAlert, UnaddressedMessage } from "./alert-message.ts";
import { receivesAlert } from "./alert-message.ts";
import type { DeciderContext } from "./context.ts";
import type { NewDelivery } from "./delivery-store.ts";

/** A delivery before quiet hours are considered. */
export interface AddressedDelivery extends NewDelivery {
  /** The channel, if it has quiet hours. */
  readonly quietChannel?: AlertChannel;
}

/**
 * Creates ids that are ordered even within a millisecond, so a failure is sent before its recovery.
 */
const createDeliveryId = createOrderedIds();

/**
 * Returns only the channels of the stage if the alert is an escalation. Other alerts go to the
 * channels of the check, of its group and of all stages reached so far, so that everyone who was
 * alerted also receives the recovery.
 */
function listChannelIds(
  { watched, alert, reachedChannelIds }: OutgoingAlert,
  subscribed: ReadonlyMap<string, readonly number[]>,
): number[] {
  if (alert.onlyChannelIds !== null) return [...new Set(alert.onlyChannelIds)].sort(byNumber);
  const own = subscribed.get(watched.checkId) ?? [];
  const called = reachedChannelIds.filter((id) => !own.includes(id));
  return [...own, ...new Set(called.sort(byNumber))];
}

const byNumber = (one: number, other: number) => one - other;

/** Loads the channels of all alerts with two queries, however many checks fail at once. */
async function findChannels(
  db: Database,
  alerts: readonly OutgoingAlert[],
): Promise<(outgoing: OutgoingAlert) => AlertChannel[]> {
  const checks = new Map(
    alerts.map(({ watched }) => [
      watched.checkId,
      { checkId: watched.checkId, groupId: watched.settings.groupId },
    ]),
  );
  const subscribed = await mapSubscribedChannelIds(db, [...checks.values()]);
  const ids = new Set(alerts.flatMap((outgoing) => listChannelIds(outgoing, subscribed)));
  const channels = await mapChannels(db, [...ids]);
  return (outgoing) =>
    listChannelIds(outgoing, subscribed)
      .map((id) => channels.get(id))
      .filter((channel) => channel !== undefined)
      .filter(({ accountId }) => accountId === outgoing.watched.accountId)
      .filter((channel) => receivesAlert(outgoing.alert.kind, channel));
}

/**
 * Creates one delivery per channel, in the order of the alerts. Deliveries are sent in id order.
 */
export async function addressAlerts(
  context: DeciderContext,
  alerts: readonly OutgoingAlert[],
  messages: AlertMessages,
): Promise<AddressedDelivery[]> {
  const channelsOf = await findChannels(context.db, alerts);
  return alerts.flatMap((outgoing) => {
    const { id: alertId, watched } = outgoing;
    return channelsOf(outgoing).map((channel) =>
      createDelivery(context, channel, { alertId, watched, message: messages.get(outgoing) }),
    );
  });
}

/** Creates the delivery of one message to one channel. */
export function createDelivery(
  context: DeciderContext,
  channel: AlertChannel,
  about: {
    readonly alertId: string;
    readonly watched: Pick<Watched, "checkId" | "accountId">;
    readonly message: UnaddressedMessage;
  },
): AddressedDelivery {
  const { config, type, problem = null } = unsealChannel(context, channel);
  const { checkId, accountId } = about.watched;
  const id = createDeliveryId();
  return {
    id,
    accountId,
    alertId: about.alertId,
    checkId,
    alertChannelId: channel.id,
    channelType: type,
    recipient: problem === null ? describeChannel({ type, config }) : "unreadable",
    message: { ...about.message, idempotencyKey: id },
    acceptsDigests: problem === null && acceptsDigests({ type, config, digest: channel.digest }),
    ...(channel.quietHours !== null && { quietChannel: channel }),
  };
}
