/** Sends messages to subscribers that have a URL: a webhook or Slack. */
import { createHmac } from "node:crypto";
import { renderMarkdownAsText } from "../../pages/markdown.ts";
import type {
  SubscriberLinks,
  SubscriberNotice,
} from "../../pages/status-page/subscriber-notice.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { decideOutcome, notSent, writeProof } from "../../platform/http-delivery.ts";
import type { OutboundResult } from "../../platform/outbound.ts";
import { clipText } from "../../platform/text/clip.ts";
import { escapeSlack } from "../../platform/text/escaping.ts";
import type { SubscribersContext } from "./context.ts";
import type { DeliveryPurpose, SubscriberDelivery, SubscriberOutcome } from "./delivery-store.ts";
import type { MessageLinks } from "./links.ts";

const timeoutMs = 15_000;
const challengeMs = 5_000;

/** Maximum length of a text, because Slack rejects a block with more than 3000 characters. */
const maxTextLength = 2_800;

/** Status codes with which a subscriber's receiver rejects a message permanently. */
const permanentStatuses = new Set([400, 401, 403, 404, 405, 410, 413, 414, 415, 422]);

export interface SubscriberMessage {
  readonly delivery: SubscriberDelivery;
  readonly links: MessageLinks;
  readonly pageName: string;
  /** Announcement; `null` if the message is about the subscription itself. */
  readonly notice: SubscriberNotice | null;
}

export function sendToUrl(
  context: SubscribersContext,
  message: SubscriberMessage,
): Promise<SubscriberOutcome> {
  const { address, secret, type } = message.delivery.subscriber;
  const sealed = [address, ...(secret === null ? [] : [secret])];
  if (sealed.some((text) => context.encryption.tryDecrypt(text) === null)) {
    const reason = "The URL cannot be decrypted with the encryption key of this server.";
    return Promise.resolve(notSent(reason, { isPermanent: true }));
  }
  return type === "SLACK" ? sendToSlack(context, message) : sendToWebhook(context, message);
}

async function sendToSlack(
  context: SubscribersContext,
  { delivery, links, pageName, notice }: SubscriberMessage,
): Promise<SubscriberOutcome> {
  const body =
    notice === null
      ? writeSlackRequest(pageName, delivery.purpose, links)
      : writeSlackNotice(notice, links);
  const result = await post(context, delivery, { body: JSON.stringify(body), timeoutMs });
  return judge(context, result, "Slack");
}

async function sendToWebhook(
  context: SubscribersContext,
  { delivery, links, notice }: SubscriberMessage,
): Promise<SubscriberOutcome> {
  if (notice === null) return sendChallenge(context, delivery, links);
  const body = JSON.stringify(writeEvent(delivery, notice, links));
  return judge(context, await post(context, delivery, { body, timeoutMs }), "The webhook");
}

/** Creates the webhook payload of an announcement. The text remains Markdown. */
function writeEvent(delivery: SubscriberDelivery, notice: SubscriberNotice, links: MessageLinks) {
  const { message } = delivery;
  const shown = new Set(delivery.shownServiceIds);
  const services = (message?.serviceIds ?? [])
    .map((id, index) => ({ id, name: message?.serviceNames[index] ?? "" }))
    // A maintenance window can hide its affected services, which then have no names.
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

/**
 * Sends a challenge to a webhook. A receiver that repeats the challenge agrees to receive messages,
 * and learns the secret that signs them. The challenge is equal in every attempt, and only this
 * server can compute it.
 */
async function sendChallenge(
  context: SubscribersContext,
  delivery: SubscriberDelivery,
  links: MessageLinks,
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
  if (isAnswered(result.bodyText, challenge)) return { ...outcome, isVerified: true };
  const { statusCode } = outcome;
  return notSent("The webhook did not repeat the challenge.", { statusCode });
}

/** Returns whether the response is the challenge, or a JSON object that contains the challenge. */
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
  request: { readonly body: string; readonly timeoutMs: number },
): Promise<OutboundResult> {
  const proof = {
    idempotencyKey: delivery.id,
    body: request.body,
    secret: unsealSecret(context, delivery),
    now: context.clock.now(),
  };
  return context.subscriberOutbound.request({
    method: "POST",
    url: context.encryption.decrypt(delivery.subscriber.address),
    headers: { "content-type": "application/json", ...writeProof(proof) },
    ...request,
  });
}

/** Decides the outcome of an attempt. A permanent rejection counts like a bounced mail. */
function judge(
  { clock }: SubscribersContext,
  result: OutboundResult,
  provider: string,
): SubscriberOutcome {
  const outcome = decideOutcome(result, { provider, permanentStatuses, now: clock.now() });
  if (outcome.kind === "sent") return { ...outcome, addressResult: "reached" };
  return outcome.isPermanent ? { ...outcome, addressResult: "refused" } : outcome;
}

/** Creates a text section. `verbatim` prevents Slack from converting text to links and mentions. */
function toSection(text: string) {
  return { type: "section", text: { type: "mrkdwn", text, verbatim: true } } as const;
}

function toLinks(links: readonly (readonly [string, string])[]) {
  return toSection(links.map(([words, url]) => `<${url}|${escapeSlack(words)}>`).join("  ·  "));
}

/** Clips a text until its escaped form fits, because escaping makes a text longer. */
function clipEscaped(text: string): string {
  let maxLength = maxTextLength;
  let shown = escapeSlack(clipText(text, maxLength));
  while (shown.length > maxTextLength) {
    maxLength = Math.floor(maxLength * 0.8);
    shown = escapeSlack(clipText(text, maxLength));
  }
  return shown;
}

function toMessage(text: string, blocks: readonly unknown[]) {
  return { text: escapeSlack(text), link_names: false, unfurl_links: false, blocks };
}

function writeSlackNotice(notice: SubscriberNotice, links: SubscriberLinks) {
  const { pageName, title, status, services, body, url } = notice;
  const facts = [`*Status:* ${escapeSlack(status)}`];
  if (services.length > 0) facts.push(`*Affects:* ${clipEscaped(services.join(", "))}`);
  const heading = `[${pageName}] ${title} – ${status}`;
  return toMessage(heading, [
    toSection(`*${escapeSlack(title)}*`),
    toSection(facts.join("\n")),
    toSection(clipEscaped(renderMarkdownAsText(body)) || "-"),
    toLinks([
      [`Read more at ${pageName}`, url],
      ["Choose services", links.manageUrl],
      ["Unsubscribe", links.unsubscribeUrl],
    ]),
  ]);
}

/** Writes a Slack message that requests confirmation or reports an existing subscription. */
function writeSlackRequest(
  pageName: string,
  purpose: DeliveryPurpose,
  links: SubscriberLinks & { readonly confirmUrl: string },
) {
  if (purpose === "confirm") {
    const text = `Someone requested updates of ${pageName} in this channel.`;
    const choices = [
      ["Confirm within two days", links.confirmUrl],
      ["Remove the channel", links.unsubscribeUrl],
    ] as const;
    return toMessage(text, [toSection(escapeSlack(text)), toLinks(choices)]);
  }
  const text = `This channel is already subscribed to ${pageName}.`;
  const choices = [
    ["Choose services", links.manageUrl],
    ["Unsubscribe", links.unsubscribeUrl],
  ] as const;
  return toMessage(text, [toSection(escapeSlack(text)), toLinks(choices)]);
}
