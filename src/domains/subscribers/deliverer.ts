import {
  Deliverer,
  type DeliveryClaim,
  type DeliveryEnd,
  type DeliveryQueue,
} from "../../platform/deliverer.ts";
import { shareOf } from "../../platform/rate-limit.ts";
import type { SubscribersContext } from "./context.ts";
import {
  claimSubscriberDeliveries,
  finishSubscriberDelivery,
  listWaitingLanes,
  type SubscriberDelivery,
  type SubscriberOutcome,
} from "./delivery-store.ts";
import { sendToSubscriber } from "./sender.ts";

/** One less than the connections of the mailer, so that one is always free for alerts. */
const mailConcurrency = 4;
const webConcurrency = 4;
const maxLanes = 5_000;
const lanesPerClaim = 100;
/** A new lane is noticed after at most this many claims. */
const claimsPerReading = 20;

export type SubscriberDeliverer = Deliverer<SubscriberDelivery, SubscriberOutcome>;

/**
 * Claims lane by lane, so that thousands of waiting mails do not delay a webhook, and thousands of
 * webhooks that wait for a retry are not read by every claim.
 */
function createClaim({ db, servers = () => 1 }: SubscribersContext) {
  let lanes: readonly string[] = [];
  let first = 0;
  let claimsLeft = 0;
  const claimNextLanes = async (claim: DeliveryClaim): Promise<SubscriberDelivery[]> => {
    const capacities = lanes.slice(first, first + lanesPerClaim).map((lane) => {
      // Each server has its own mailer, but all servers share a receiver.
      const capacity = lane === "mail" ? mailConcurrency : shareOf(webConcurrency, servers());
      return { lane, capacity: capacity - (claim.underWay.get(lane) ?? 0) };
    });
    first = first + lanesPerClaim < lanes.length ? first + lanesPerClaim : 0;
    const open = capacities.filter(({ capacity }) => capacity > 0);
    return open.length === 0 ? [] : claimSubscriberDeliveries(db, claim, open);
  };
  return async (claim: DeliveryClaim): Promise<SubscriberDelivery[]> => {
    // Tries the known lanes once; then, or after some claims, reads the lanes again.
    for (const isLast of [claimsLeft === 0, true]) {
      if (isLast) {
        lanes = await listWaitingLanes(db, maxLanes);
        first = 0;
        claimsLeft = claimsPerReading;
      }
      claimsLeft -= 1;
      for (let seen = 0; seen < lanes.length; seen += lanesPerClaim) {
        const claimed = await claimNextLanes(claim);
        if (claimed.length > 0) return claimed;
      }
      if (isLast) break;
    }
    return [];
  };
}

/** A separate queue, so that ten thousand mails to subscribers do not delay an alert. */
export function createSubscriberDeliverer(
  context: SubscribersContext,
  chance: () => number,
): SubscriberDeliverer {
  const { db, clock, log, subscriberMetrics } = context;
  const queue: DeliveryQueue<SubscriberDelivery, SubscriberOutcome> = {
    claim: createClaim(context),
    send: (delivery) => sendToSubscriber(context, delivery),
    finish: (delivery: SubscriberDelivery, end: DeliveryEnd, outcome) =>
      finishSubscriberDelivery(db, delivery, end, { ...outcome, at: clock.now() }),
    observe: (_delivery, outcome) => subscriberMetrics.deliveries.inc({ outcome }),
  };
  return new Deliverer(queue, { clock, log, chance });
}
