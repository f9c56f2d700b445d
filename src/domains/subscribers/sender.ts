import {
  renderConfirmMail,
  renderNoticeMail,
  renderReminderMail,
  type SubscriberNotice,
  spellStatus,
} from "../../pages/status-page/subscriber-notice.ts";
import { toShortLine } from "../../platform/text/clip.ts";
import type { MailText } from "../../platform/text/mail-text.ts";
import { notSent } from "../alert-channels/index.ts";
import type { SubscribersContext } from "./context.ts";
import type { SubscriberDelivery, SubscriberOutcome } from "./delivery-store.ts";
import { createMessageLinks, type MessageLinks } from "./links.ts";
import { type SubscriberMessage, sendToUrl } from "./url-sender.ts";

/** Anyone can trigger these messages, so they are not retried all day. */
const maxRequestAttempts = 3;
const maxTitleLength = 300;

/** Sends one message to one subscriber. */
export async function sendToSubscriber(
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

/** Anyone can trigger these messages, so a failure must not count against the address. */
function judgeRequest(outcome: SubscriberOutcome, attempts: number): SubscriberOutcome {
  if (outcome.kind === "sent") return { ...outcome, addressResult: null };
  const isPermanent = outcome.isPermanent || attempts >= maxRequestAttempts;
  return { ...outcome, isPermanent, addressResult: null };
}

/**
 * Returns `null` for a message about the subscription. Omits services that the page does not show.
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
      // Prevents automatic replies.
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
    },
    messageId: delivery.id,
  });
  if (outcome.kind === "sent") return { kind: "sent", statusCode: null, addressResult: "reached" };
  const { isPermanent, code, reason, recipient = null } = outcome;
  return { ...notSent(reason, { isPermanent, statusCode: code }), addressResult: recipient };
}
