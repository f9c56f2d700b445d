import {
  renderConfirmMail,
  renderNoticeMail,
  renderReminderMail,
  type SubscriberNotice,
  spellStatus,
} from "../../pages/status-page/subscriber-notice.ts";
import {
  Deliverer,
  type DeliveryClaim,
  type DeliveryEnd,
  type DeliveryQueue,
} from "../../platform/deliverer.ts";
import { notSent } from "../../platform/http-delivery.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop, takeEach } from "../../platform/loop.ts";
import { shareOf } from "../../platform/rate-limit.ts";
import { toShortLine } from "../../platform/text/clip.ts";
import type { MailText } from "../../platform/text/mail-text.ts";
import type { WatchQueue } from "../../platform/work-calendar.ts";
import { deleteAnnouncementsBefore, takeFanOutBatch } from "./announcement-store.ts";
import type { SubscribersContext } from "./context.ts";
import {
  claimSubscriberDeliveries,
  deleteSubscriberDeliveriesBefore,
  finishSubscriberDelivery,
  listWaitingLanes,
  type SubscriberDelivery,
  type SubscriberOutcome,
} from "./delivery-store.ts";
import { createMessageLinks, type MessageLinks } from "./links.ts";
import { deleteUnconfirmedBefore } from "./store.ts";
import { confirmMs } from "./subscriber.ts";
import { type SubscriberMessage, sendToUrl } from "./url-sender.ts";

/** Maximum concurrent mails. The mailer has one more connection, always free for alerts. */
const mailConcurrency = 4;
const webConcurrency = 4;
const maxLanes = 5_000;
const lanesPerClaim = 100;
/** Maximum number of claims before the list of receivers is read again, to find new ones. */
const claimsPerReading = 20;

/** Maximum attempts of a confirmation request, few because anyone can trigger one. */
const maxRequestAttempts = 3;
const maxTitleLength = 300;

export type SubscriberDeliverer = Deliverer<SubscriberDelivery, SubscriberOutcome>;

/**
 * Returns a function that claims due deliveries. Each delivery belongs to a lane: mail, Slack or
 * one webhook host. Each lane has its own capacity, so thousands of waiting mails do not delay a
 * webhook. A claim covers only one group of lanes, and the next claim covers the next group. A
 * claim therefore does not read the deliveries of thousands of hosts that wait for a retry.
 */
function createClaim({ db, servers = () => 1 }: SubscribersContext) {
  let lanes: readonly string[] = [];
  let first = 0;
  let claimsLeft = 0;
  const claimNextLanes = async (claim: DeliveryClaim): Promise<SubscriberDelivery[]> => {
    const capacities = lanes.slice(first, first + lanesPerClaim).map((lane) => {
      // Each server has a separate mailer, but all servers share the limit of a webhook receiver.
      const capacity = lane === "mail" ? mailConcurrency : shareOf(webConcurrency, servers());
      return { lane, capacity: capacity - (claim.underWay.get(lane) ?? 0) };
    });
    first = first + lanesPerClaim < lanes.length ? first + lanesPerClaim : 0;
    const open = capacities.filter(({ capacity }) => capacity > 0);
    return open.length === 0 ? [] : claimSubscriberDeliveries(db, claim, open);
  };
  return async (claim: DeliveryClaim): Promise<SubscriberDelivery[]> => {
    // Tries the known lanes first; reads them again if none is due, or after some claims.
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

/** How long deliveries and announcements are stored, as long as alert deliveries. */
const keptMs = 365 * 86_400_000;
const settleMs = 2_000;
/** Maximum number of batches per loop iteration, so that the server stops in time. */
const maxBatches = 20;

/** Creates the deliveries of open announcements. */
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

/** Polling interval; normally a notification wakes the loops when work is due. */
const unwokenMs = 60_000;
const announcements = { table: "announcements", where: "not is_addressed" };
const deliveries = {
  table: "subscriber_deliveries",
  dueAt: "next_attempt_at",
  where: "status = 'PENDING'",
};

/** Starts the loops. On stop, messages in flight are finished; the rest stay in the queue. */
export function startSubscriberLoops(
  context: SubscribersContext,
  log: Log,
  watch: WatchQueue,
): readonly Loop[] {
  if (context.sendTools.mailer === null) {
    // The log line explains to the operator why visitors cannot choose email.
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

/** Creates a separate queue, so that ten thousand mails do not delay an alert. */
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

/** Sends one message to one subscriber. */
async function sendToSubscriber(
  context: SubscribersContext,
  delivery: SubscriberDelivery,
): Promise<SubscriberOutcome> {
  const { subscriber, purpose } = delivery;
  if (purpose === "announce" && subscriber.status !== "VERIFIED") {
    return notSent("The subscriber is in quarantine.", { isPermanent: true });
  }
  const links = createMessageLinks(context, delivery);
  const pageName = toShortLine(delivery.page.name, maxTitleLength);
  const message = { delivery, links, pageName, notice: toNotice(delivery, links) };
  const send = subscriber.type === "EMAIL" ? sendMail : sendToUrl;
  const outcome = await send(context, message);
  return purpose === "announce" ? outcome : judgeRequest(outcome, delivery.attempts);
}

/**
 * Decides the outcome of a confirmation request or reminder. Anyone can trigger these messages, so
 * a failure must not count against the address.
 */
function judgeRequest(outcome: SubscriberOutcome, attempts: number): SubscriberOutcome {
  if (outcome.kind === "sent") return { ...outcome, addressResult: null };
  const isPermanent = outcome.isPermanent || attempts >= maxRequestAttempts;
  return { ...outcome, isPermanent, addressResult: null };
}

/**
 * Returns the content of an announcement for a message. The content names only the affected
 * services that the page shows. Returns `null` if the message is about the subscription itself.
 */
function toNotice(delivery: SubscriberDelivery, links: MessageLinks): SubscriberNotice | null {
  const { message, announcedAt, page, shownServiceIds } = delivery;
  if (message === null || announcedAt === null) return null;
  const shown = new Set(shownServiceIds);
  return {
    pageName: toShortLine(page.name, maxTitleLength),
    kind: message.kind,
    title: toShortLine(message.title, maxTitleLength),
    status: spellStatus(message.status),
    severity: message.severity,
    body: message.body,
    services: message.serviceNames
      .filter((_name, index) => shown.has(message.serviceIds[index] ?? ""))
      .map((name) => toShortLine(name, maxTitleLength)),
    at: announcedAt,
    url:
      message.incidentId === null
        ? links.pageUrl
        : `${links.pageUrl}incidents/${message.incidentId}`,
  };
}

function writeMail({ delivery, links, pageName, notice }: SubscriberMessage): MailText {
  if (notice !== null) return renderNoticeMail(notice, links);
  return delivery.purpose === "confirm"
    ? renderConfirmMail(pageName, links.confirmUrl, links.unsubscribeUrl)
    : renderReminderMail(pageName, links);
}

async function sendMail(
  { sendTools: { mailer } }: SubscribersContext,
  message: SubscriberMessage,
): Promise<SubscriberOutcome> {
  const { delivery, links } = message;
  if (mailer === null) return notSent("No SMTP server is configured.");
  const outcome = await mailer.send({
    to: delivery.subscriber.address,
    content: writeMail(message),
    headers: {
      "List-Unsubscribe": `<${links.unsubscribeUrl}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      // These headers prevent automatic replies.
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
    },
    messageId: delivery.id,
  });
  if (outcome.kind === "sent") return { kind: "sent", statusCode: null, addressResult: "reached" };
  const { isPermanent, code, reason, recipient = null } = outcome;
  return { ...notSent(reason, { isPermanent, statusCode: code }), addressResult: recipient };
}
