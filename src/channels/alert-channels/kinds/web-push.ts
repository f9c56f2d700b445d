import { createHash } from "node:crypto";
import { Type } from "typebox";
import type { SendOutcome } from "../../../platform/deliverer.ts";
import { Described, Email, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, notSent } from "../../../platform/http-delivery.ts";
import { clipText, toShortLine } from "../../../platform/text/clip.ts";
import type { AlertMessage } from "../alert-text.ts";
import {
  decideTone,
  findOpenUrl,
  writeIncidentKey,
  writeReason,
  writeTitle,
} from "../alert-text.ts";
import {
  type ChannelKind,
  Label,
  type PushReach,
  type ReachedDevice,
  type SendTools,
} from "../channel-kind.ts";
import { encryptPush, maxPayloadBytes, writeVapidHeader } from "../push/web-push.ts";

const ConfigSchema = Type.Object({
  name: Described(Label, "Display name of the channel.", "Phones on call"),
  email: Described(
    Type.Optional(OrNull(Email)),
    "The member whose devices are notified; `null` for the devices of all members.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: the subscription has ended, or the keys are rejected. */
const permanentStatuses = new Set([400, 401, 403, 404, 410, 413]);
const goneStatuses = new Set([404, 410]);
const timeoutMs = 15_000;
/** Maximum time that the push service stores a message for an offline device. */
const ttlSeconds = 86_400;

export const webPushKind: ChannelKind<Config> = {
  type: "WEBPUSH",
  ConfigSchema,
  secretFields: [],
  describeRecipient: ({ name, email }) =>
    toShortLine(email ? `${name}, devices of ${email}` : `${name}, devices of all members`, 255),
  send: async (message, config, tools) => {
    const reach = await tools.push.find(tools.accountId, config.email || null);
    if (reach === null) return notSent("The push keys cannot be decrypted on this server.");
    if (reach.devices.length === 0) {
      const reason = "No device receives push messages. Turn them on under Settings, Devices.";
      return notSent(reason, { isPermanent: true });
    }
    const outcomes = await Promise.all(
      reach.devices.map(async (device) => ({
        id: device.id,
        outcome: await sendToDevice(message, device, { reach, tools }),
      })),
    );
    const sent = outcomes.filter(({ outcome }) => outcome.kind === "sent");
    const gone = outcomes.filter(({ outcome }) => goneStatuses.has(outcome.statusCode ?? 0));
    await tools.push.recordOutcomes({
      sentIds: sent.map(({ id }) => id),
      goneIds: gone.map(({ id }) => id),
    });
    return combineOutcomes(outcomes.map(({ outcome }) => outcome));
  },
};

/**
 * Combines the outcomes of one message to several devices. The result is a success if any device
 * accepted the message; otherwise a temporary failure, if any device has one.
 */
function combineOutcomes(outcomes: readonly SendOutcome[]): SendOutcome {
  const isHopeful = (one: SendOutcome) => one.kind === "failed" && !one.isPermanent;
  const chosen =
    outcomes.find(({ kind }) => kind === "sent") ?? outcomes.find(isHopeful) ?? outcomes[0];
  return chosen ?? notSent("No device receives push messages.", { isPermanent: true });
}

async function sendToDevice(
  message: AlertMessage,
  device: ReachedDevice,
  { reach, tools }: { readonly reach: PushReach; readonly tools: SendTools },
): Promise<SendOutcome> {
  const { endpoint } = device;
  const { keys, contact } = reach;
  const isUrgent = decideTone(message.kind) === "failing";
  const topic = createHash("sha256").update(writeIncidentKey(message, 255)).digest("base64url");
  const authorization =
    URL.parse(endpoint) === null
      ? ""
      : writeVapidHeader(keys, { endpoint, contact, now: tools.now });
  const result = await tools.outbound.request({
    method: "POST",
    url: endpoint,
    headers: {
      authorization,
      "content-type": "application/octet-stream",
      "content-encoding": "aes128gcm",
      ttl: String(ttlSeconds),
      urgency: isUrgent ? "high" : "normal",
      // The push service replaces an undelivered message with the next message of the same topic.
      topic: topic.slice(0, 32),
      "idempotency-key": message.idempotencyKey,
    },
    body: encryptPush(writePayload(message), device),
    timeoutMs,
  });
  return decideOutcome(result, { provider: "The push service", permanentStatuses, now: tools.now });
}

/** Returns the page to open as a path: the service worker opens only pages of the same origin. */
function findPath(message: AlertMessage): string {
  const url = URL.parse(findOpenUrl(message) ?? "");
  return url === null ? `/checks/${message.checkId}?tab=alerts` : `${url.pathname}${url.search}`;
}

/**
 * Lists the actions of the notification, most important first, because browsers show only the first
 * two or three.
 */
function listActions({ acknowledgeUrl, isPage = false, digest }: AlertMessage) {
  const link = URL.parse(acknowledgeUrl ?? "")?.pathname;
  if (link === undefined) return {};
  if (digest !== undefined) return { link, actions: ["acknowledge-all"] };
  const names = ["acknowledge", "snooze", ...(isPage ? ["escalate"] : [])];
  return { link, actions: names };
}

/** Writes the payload for the service worker. Its URLs are paths of the application. */
function writePayload(message: AlertMessage): string {
  const isTest = message.kind === "ALERT_TEST";
  const payload = {
    title: writeTitle(message, 120),
    body: clipText(writeReason(message, 300), 300),
    tag: writeIncidentKey(message, 100),
    tone: decideTone(message.kind),
    at: message.startedAt,
    path: isTest ? "/alerts/channels" : findPath(message),
    ...listActions(message),
  };
  const text = JSON.stringify(payload);
  // The texts are limited in characters, but the payload is limited in bytes. If the payload is too
  // large, send a shorter title and no body.
  if (Buffer.byteLength(text) <= maxPayloadBytes) return text;
  return JSON.stringify({ ...payload, title: clipText(payload.title, 60), body: "" });
}
