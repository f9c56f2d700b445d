import { createHmac } from "node:crypto";
import {
  type MailText,
  renderConfirmMail,
  renderNoticeMail,
  renderReminderMail,
  type SubscriberNotice,
  spellStatus,
} from "../../pages/status-page/subscriber-notice.ts";
import { formatDateTime } from "../../platform/dates.ts";
import type { SendOutcome } from "../../platform/deliveries/send-outcome.ts";
import type { OutboundResult } from "../../platform/outbound.ts";
import { toShortLine } from "../../platform/text/clip.ts";
import { decideOutcome, notSent, writeProof } from "../alert-channels/index.ts";
import type { SubscribersContext } from "./context.ts";
import type { SubscriberDelivery, SubscriberEffect } from "./delivery-store.ts";
import { createMessageLinks } from "./links.ts";
import { writeSlackNotice, writeSlackRequest } from "./slack-message.ts";
import type { AddressNews } from "./subscriber.ts";

export type SubscriberOutcome = SendOutcome & { readonly effect: SubscriberEffect };

/** The receiver is the subscriber's own: what it refuses now it refuses again. */
const permanentStatuses = new Set([400, 401, 403, 404, 405, 410, 413, 414, 415, 422]);
const timeoutMs = 15_000;
const challengeMs = 5_000;
/** A stranger's form must not make this server knock at somebody's door all day. */
const maxRequestAttempts = 3;
const maxTitleLength = 300;

type Links = ReturnType<typeof createMessageLinks>;

function conclude(
  outcome: SendOutcome,
  news: AddressNews | null = null,
  isVerified = false,
): SubscriberOutcome {
  return { ...outcome, effect: { news, isVerified } };
}

/** Sends one message to one subscriber, whatever kind they are and whatever it is about. */
export async function sendToSubscriber(
  context: SubscribersContext,
  delivery: SubscriberDelivery,
): Promise<SubscriberOutcome> {
  const { subscriber, purpose } = delivery;
  if (purpose === "announce" && subscriber.status !== "VERIFIED") {
    return conclude(notSent("The subscriber is in quarantine.", { isPermanent: true }));
  }
  const links = createMessageLinks(context, delivery);
  const outcome =
    subscriber.type === "EMAIL"
      ? await sendMail(context, delivery, links)
      : await sendToUrl(context, delivery, links);
  return purpose === "announce" ? outcome : judgeRequest(outcome, delivery.attempts);
}

/** Anybody can cause these, so that their failure must not count against the address. */
function judgeRequest(outcome: SubscriberOutcome, attempts: number): SubscriberOutcome {
  const effect = { ...outcome.effect, news: null };
  if (outcome.kind === "sent") return { ...outcome, effect };
  const isPermanent = outcome.isPermanent || attempts >= maxRequestAttempts;
  return { ...outcome, isPermanent, effect };
}

/** Null for what does not announce. Services that the page does not show are not named. */
function toNotice(delivery: SubscriberDelivery, links: Links): SubscriberNotice | null {
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

function writeMail(delivery: SubscriberDelivery, links: Links): MailText {
  const notice = toNotice(delivery, links);
  if (notice !== null) return renderNoticeMail(notice, links);
  const pageName = toShortLine(delivery.page.name, maxTitleLength);
  return delivery.purpose === "confirm"
    ? renderConfirmMail(pageName, links.confirmUrl, links.unsubscribeUrl)
    : renderReminderMail(pageName, links);
}

async function sendMail(
  { sendTools: { mailer } }: SubscribersContext,
  delivery: SubscriberDelivery,
  links: Links,
): Promise<SubscriberOutcome> {
  if (mailer === null) return conclude(notSent("No SMTP server is configured."));
  const outcome = await mailer.send({
    to: delivery.subscriber.address,
    ...writeMail(delivery, links),
    headers: {
      "List-Unsubscribe": `<${links.unsubscribeUrl}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      // Neither holiday notices nor mailing lists answer a mail that says so.
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
    },
    messageId: delivery.id,
  });
  if (outcome.kind === "sent") return conclude({ kind: "sent", statusCode: null }, "reached");
  const { isPermanent, code, reason, recipient = null } = outcome;
  return conclude(notSent(reason, { isPermanent, statusCode: code }), recipient);
}

/** What a program reads; people's words stay Markdown, as they were typed. */
function writeEvent(delivery: SubscriberDelivery, notice: SubscriberNotice, links: Links) {
  const { message } = delivery;
  const shown = new Set(delivery.shownServiceIds);
  const services = (message?.serviceIds ?? [])
    .map((id, index) => ({ id, name: message?.serviceNames[index] ?? "" }))
    // A window may keep to itself what it affects: then its services have ids and no names.
    .filter(({ id, name }) => shown.has(id) && name !== "");
  return {
    type: notice.kind,
    page: { name: delivery.page.name, url: links.pageUrl },
    incidentId: message?.incidentId ?? null,
    title: message?.title,
    status: message?.status,
    severity: message?.severity ?? null,
    body: message?.body,
    services,
    at: formatDateTime(notice.at),
    url: notice.url,
    manageUrl: links.manageUrl,
    unsubscribeUrl: links.unsubscribeUrl,
  };
}

function sendToUrl(
  context: SubscribersContext,
  delivery: SubscriberDelivery,
  links: Links,
): Promise<SubscriberOutcome> {
  const { address, secret } = delivery.subscriber;
  const sealed = [address, ...(secret === null ? [] : [secret])];
  if (sealed.some((text) => context.encryption.tryDecrypt(text) === null)) {
    const reason = "The address cannot be read with the encryption key of this server.";
    return Promise.resolve(conclude(notSent(reason, { isPermanent: true })));
  }
  return delivery.subscriber.type === "SLACK"
    ? sendToSlack(context, delivery, links)
    : sendToWebhook(context, delivery, links);
}

async function sendToSlack(
  context: SubscribersContext,
  delivery: SubscriberDelivery,
  links: Links,
): Promise<SubscriberOutcome> {
  const notice = toNotice(delivery, links);
  const pageName = toShortLine(delivery.page.name, maxTitleLength);
  const body =
    notice === null
      ? writeSlackRequest(pageName, delivery.purpose, links)
      : writeSlackNotice(notice, links);
  const result = await post(context, delivery, { body: JSON.stringify(body), timeoutMs });
  return judge(context, result, "Slack");
}

async function sendToWebhook(
  context: SubscribersContext,
  delivery: SubscriberDelivery,
  links: Links,
): Promise<SubscriberOutcome> {
  const notice = toNotice(delivery, links);
  if (notice === null) return sendChallenge(context, delivery, links);
  const body = JSON.stringify(writeEvent(delivery, notice, links));
  return judge(context, await post(context, delivery, { body, timeoutMs }), "The webhook");
}

/**
 * Whoever answers with the challenge wants our messages. Only the receiver learns the secret that
 * they are signed with. The challenge is the same in every attempt, and nobody else can know it.
 */
async function sendChallenge(
  context: SubscribersContext,
  delivery: SubscriberDelivery,
  links: Links,
): Promise<SubscriberOutcome> {
  const secret = unsealSecret(context, delivery);
  const challenge = createHmac("sha256", secret ?? "")
    .update(delivery.id)
    .digest("base64url");
  const { manageUrl, unsubscribeUrl, pageUrl } = links;
  const page = { name: delivery.page.name, url: pageUrl };
  const event = { type: "challenge", challenge, secret, page, manageUrl, unsubscribeUrl };
  const body = JSON.stringify(event);
  const result = await post(context, delivery, { body, timeoutMs: challengeMs });
  const outcome = judge(context, result, "The webhook");
  if (outcome.kind !== "sent" || result.kind !== "answered") return outcome;
  if (isAnswered(result.bodyText, challenge)) return conclude(outcome, "reached", true);
  const { statusCode } = outcome;
  return conclude(notSent("The webhook did not repeat the challenge.", { statusCode }));
}

/** The challenge alone, or a JSON object that has it. */
function isAnswered(answer: string, challenge: string): boolean {
  const text = answer.trim();
  if (text === challenge) return true;
  try {
    return (JSON.parse(text) as { challenge?: unknown } | null)?.challenge === challenge;
  } catch {
    return false;
  }
}

function unsealSecret({ encryption }: SubscribersContext, { subscriber }: SubscriberDelivery) {
  return subscriber.secret === null ? null : encryption.decrypt(subscriber.secret);
}

function post(
  context: SubscribersContext,
  delivery: SubscriberDelivery,
  wish: { readonly body: string; readonly timeoutMs: number },
): Promise<OutboundResult> {
  const proof = {
    idempotencyKey: delivery.id,
    body: wish.body,
    secret: unsealSecret(context, delivery),
    now: context.clock.now(),
  };
  return context.subscriberOutbound.request({
    method: "POST",
    url: context.encryption.decrypt(delivery.subscriber.address),
    headers: { "content-type": "application/json", ...writeProof(proof) },
    ...wish,
  });
}

/** A refusal for good by the subscriber's own receiver counts as a bounce does. */
function judge(
  { clock }: SubscribersContext,
  result: OutboundResult,
  provider: string,
): SubscriberOutcome {
  const outcome = decideOutcome(result, { provider, permanentStatuses, now: clock.now() });
  if (outcome.kind === "sent") return conclude(outcome, "reached");
  return conclude(outcome, outcome.isPermanent ? "refused" : null);
}
