import {
  type AlertMessage,
  findChannel,
  sendThrough,
  unsealChannel,
} from "../../channels/alert-channels/index.ts";
import type { SendOutcome } from "../../platform/deliverer.ts";
import { Deliverer, type DeliveryEnd } from "../../platform/deliverer.ts";
import { shareOf } from "../../platform/rate-limit.ts";
import { createGroupUrl } from "./alert-message.ts";
import type { DelivererContext } from "./context.ts";
import { type AlertDelivery, claimDeliveries, claimPages } from "./delivery-store.ts";
import { formDigests } from "./digest-store.ts";
import {
  expandPages,
  finishChannelMessage,
  finishPageMessage,
  type PageOutcome,
  sendToMember,
} from "./pages/pages.ts";

/** Maximum number of messages that all servers together send to one channel at the same time. */
const perChannel = 4;

export type AlertDeliverer = Deliverer<AlertDelivery, PageOutcome>;

/** Creates the deliverer that sends due alerts. Each channel has its own concurrency limit. */
export function createAlertDeliverer(
  context: DelivererContext,
  chance: () => number,
): AlertDeliverer {
  const { db, clock, log, alertMetrics, servers = () => 1 } = context;
  const queue = {
    claim: async (claim: Parameters<typeof claimDeliveries>[1]) => {
      await formDigests(db, claim.now);
      return claimDeliveries(db, claim, shareOf(perChannel, servers()));
    },
    send: (delivery: AlertDelivery): Promise<PageOutcome> =>
      delivery.userId === null ? sendToChannel(context, delivery) : sendToMember(context, delivery),
    finish: async (delivery: AlertDelivery, end: DeliveryEnd, outcome: PageOutcome) => {
      if (outcome.isStored) return;
      if (delivery.pageIds.length > 0) return finishPageMessage(context, delivery, end);
      await finishChannelMessage(context, delivery, end);
    },
    observe: (delivery: AlertDelivery, outcome: string, at: Date) => {
      alertMetrics.deliveries.inc({ outcome });
      // Exclude held messages: their quiet hours would distort the measured delivery time.
      if (outcome !== "sent" || delivery.heldUntil !== null) return;
      const waitedMs = at.getTime() - delivery.decidedAt.getTime();
      alertMetrics.deliverySeconds.observe(waitedMs / 1_000);
    },
  };
  return new Deliverer(queue, { clock, log, chance });
}

/**
 * Creates the deliverer that expands pages into messages. Slow providers do not delay it, because
 * it sends nothing itself.
 */
export function createPageExpander(
  context: DelivererContext,
  chance: () => number,
): AlertDeliverer {
  const { db, clock, log } = context;
  const queue = {
    claim: (claim: Parameters<typeof claimPages>[1]) => claimPages(db, claim),
    send: (delivery: AlertDelivery) => expandPages(context, delivery),
    finish: async (delivery: AlertDelivery, end: DeliveryEnd, outcome: PageOutcome) => {
      if (!outcome.isStored) await finishChannelMessage(context, delivery, end);
    },
    observe: () => {},
  };
  return new Deliverer(queue, { clock, log, chance });
}

/** Adds a link to a digest that acknowledges all of its alerts. */
function linkAlerts(
  context: DelivererContext,
  { message, deliveryIds }: AlertDelivery,
): AlertMessage {
  const newestId = deliveryIds.at(-1);
  if (message.digest === undefined || newestId === undefined) return message;
  const acknowledgeUrl = createGroupUrl(context, message.digest, { userId: null, newestId });
  return { ...message, acknowledgeUrl };
}

async function sendToChannel(
  context: DelivererContext,
  delivery: AlertDelivery,
): Promise<SendOutcome> {
  const { db } = context;
  const { accountId, alertChannelId } = delivery;
  const channel = alertChannelId === null ? null : await findChannel(db, accountId, alertChannelId);
  if (channel === null) {
    const reason = "The channel was deleted.";
    const nothing = { statusCode: null, retryAfterSeconds: null };
    return { kind: "failed", isPermanent: true, reason, ...nothing };
  }
  const message = linkAlerts(context, delivery);
  return sendThrough(context, { ...unsealChannel(context, channel), accountId }, message);
}
