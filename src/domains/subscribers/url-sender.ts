/** Messages to subscribers who gave a URL: a webhook of theirs, or one of Slack. */
import { createHmac } from "node:crypto";
import type { SubscriberNotice } from "../../pages/status-page/subscriber-notice.ts";
import { formatDateTime } from "../../platform/dates.ts";
import type { OutboundResult } from "../../platform/outbound.ts";
import { decideOutcome, notSent, writeProof } from "../alert-channels/index.ts";
import type { SubscribersContext } from "./context.ts";
import type { SubscriberDelivery, SubscriberOutcome } from "./delivery-store.ts";
import type { MessageLinks } from "./links.ts";
import { writeSlackNotice, writeSlackRequest } from "./slack-message.ts";

/** The receiver is the subscriber's own: what it refuses now it refuses again. */
const permanentStatuses = new Set([400, 401, 403, 404, 405, 410, 413, 414, 415, 422]);
const timeoutMs = 15_000;
const challengeMs = 5_000;

export interface SubscriberMessage {
  readonly delivery: SubscriberDelivery;
  readonly links: MessageLinks;
  readonly pageName: string;
  /** Null for a message about the subscription itself. */
  readonly notice: SubscriberNotice | null;
}

export function sendToUrl(
  context: SubscribersContext,
  message: SubscriberMessage,
): Promise<SubscriberOutcome> {
  const { address, secret, type } = message.delivery.subscriber;
  const sealed = [address, ...(secret === null ? [] : [secret])];
  if (sealed.some((text) => context.encryption.tryDecrypt(text) === null)) {
    const reason = "The address cannot be read with the encryption key of this server.";
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

/** For programs; texts stay Markdown, as typed. */
function writeEvent(delivery: SubscriberDelivery, notice: SubscriberNotice, links: MessageLinks) {
  const { message } = delivery;
  const shown = new Set(delivery.shownServiceIds);
  const services = (message?.serviceIds ?? [])
    .map((id, index) => ({ id, name: message?.serviceNames[index] ?? "" }))
    // A maintenance window may hide what it affects: then its services have no names.
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
 * A receiver that repeats the challenge wants our messages. Only it learns the secret that they are
 * signed with. The challenge is the same in every attempt, and nobody else can compute it.
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

/** A permanent refusal counts like a bounced mail. */
function judge(
  { clock }: SubscribersContext,
  result: OutboundResult,
  provider: string,
): SubscriberOutcome {
  const outcome = decideOutcome(result, { provider, permanentStatuses, now: clock.now() });
  if (outcome.kind === "sent") return { ...outcome, news: "reached" };
  return outcome.isPermanent ? { ...outcome, news: "refused" } : outcome;
}
