import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop, takeEach } from "../../platform/loop.ts";
import type { WatchQueue } from "../../platform/work-calendar.ts";
import { deleteAnnouncementsBefore, takeFanOutBatch } from "./announcement-store.ts";
import type { SubscribersContext } from "./context.ts";
import { createSubscriberDeliverer } from "./deliverer.ts";
import { deleteSubscriberDeliveriesBefore } from "./delivery-store.ts";

import { deleteUnconfirmedBefore } from "./store.ts";
import { confirmMs } from "./subscriber.ts";

/** Same retention as for alerts. */
const keptMs = 365 * 86_400_000;
const settleMs = 2_000;
/** Bounds one turn, so that stopping does not wait for a long list. */
const maxBatches = 20;

/** Creates deliveries for open announcements. */
export async function addressAnnouncements(context: SubscribersContext): Promise<void> {
  for (let round = 0; round < maxBatches; round += 1) {
    const count = await takeFanOutBatch(context, context.clock.now());
    if (count === null) return;
    context.subscriberMetrics.addressed.inc(count);
  }
}

export async function forgetOldSubscriptions(context: SubscribersContext): Promise<void> {
  const nowMs = context.clock.now().getTime();
  await takeEach([
    () => deleteUnconfirmedBefore(context.db, new Date(nowMs - confirmMs)),
    () => deleteSubscriberDeliveriesBefore(context.db, new Date(nowMs - keptMs)),
    () => deleteAnnouncementsBefore(context.db, new Date(nowMs - keptMs)),
  ]);
}

/** Fallback interval; the loops are normally woken when something is due. */
const unwokenMs = 60_000;
const announcements = { table: "announcements", where: "not is_addressed" };
const deliveries = {
  table: "subscriber_deliveries",
  dueAt: "next_attempt_at",
  where: "status = 'PENDING'",
};

/** On stop, messages in flight are finished; everything else is stored as rows. */
export function startSubscriberLoops(
  context: SubscribersContext,
  log: Log,
  watch: WatchQueue,
): readonly Loop[] {
  if (context.sendTools.mailer === null) {
    // Explains to the operator why visitors are not offered email.
    log.info("SMTP_URL is not set: status pages do not offer email updates");
  }
  const deliverer = createSubscriberDeliverer(context, Math.random);
  return [
    { stop: () => deliverer.settleWithin(settleMs) },
    startLoop({
      name: "address announcements",
      everyMs: unwokenMs,
      restMs: 500,
      onWork: watch(announcements),
      log,
      turn: () => addressAnnouncements(context),
    }),
    startLoop({
      name: "deliver to subscribers",
      everyMs: unwokenMs,
      restMs: 250,
      onWork: watch(deliveries),
      log,
      turn: () => deliverer.deliverWhileDue(),
    }),
    startLoop({
      name: "forget old subscriptions",
      isEssential: false,
      everyMs: 600_000,
      log,
      turn: () => forgetOldSubscriptions(context),
    }),
    { stop: async () => deliverer.stop() },
  ];
}
