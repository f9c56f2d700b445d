import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop, takeEach } from "../../platform/loop.ts";
import type { WatchQueue } from "../../platform/work-calendar.ts";
import { deleteAnnouncementsBefore, takeFanOutBatch } from "./announcement-store.ts";
import type { SubscribersContext } from "./context.ts";
import { createSubscriberDeliverer } from "./deliverer.ts";
import { deleteSubscriberDeliveriesBefore } from "./delivery-store.ts";

import { deleteUnconfirmedBefore } from "./store.ts";
import { confirmMs } from "./subscriber.ts";

/** As long as alerts: people ask who was told what for months. */
const keptMs = 365 * 86_400_000;
const settleMs = 2_000;
/** Bounds one turn, so that a stop never waits for a long list. */
const maxBatches = 20;

/** Turns what was announced into messages; full batches follow each other at once. */
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

/** Loops that are woken look by themselves this often, in case nobody wakes them. */
const unwokenMs = 60_000;
const announcements = { table: "announcements", where: "not is_addressed" };
const deliveries = {
  table: "subscriber_deliveries",
  dueAt: "next_attempt_at",
  where: "status = 'PENDING'",
};

/** What is under way when it stops is sent to its end; everything else is a row. */
export function startSubscriberLoops(
  context: SubscribersContext,
  log: Log,
  watch: WatchQueue,
): readonly Loop[] {
  if (context.sendTools.mailer === null) {
    // Visitors are simply not offered it; whoever runs the server should know why.
    log.info("SMTP_URL is not set: status pages offer no updates by email");
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
