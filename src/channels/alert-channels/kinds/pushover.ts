import { Type } from "typebox";
import { Described, Matching, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, joinUrl, postJson } from "../../../platform/http-delivery.ts";
import type { AlertMessage } from "../alert-text.ts";
import {
  type AlertTone,
  acknowledgeLabel,
  decideTone,
  findOpenUrl,
  openLabel,
  writePlainText,
  writeTitle,
} from "../alert-text.ts";
import { type ChannelKind, HttpUrl, Secret, type SendTools } from "../channel-kind.ts";

const ConfigSchema = Type.Object({
  token: Described(Secret, "The API token of your Pushover application.", "azGDORePK8gMa"),
  userKey: Described(Secret, "The key of the user or group to notify.", "uQiRzpo4DXghD"),
  device: Described(
    Type.Optional(
      OrNull(
        Matching("^[A-Za-z0-9_,-]*$", "must be names of devices, separated by commas", {
          maxLength: 255,
        }),
      ),
    ),
    "The device to notify; `null` for all devices.",
  ),
  priority: Described(
    Type.Optional(OrNull(Type.Integer({ minimum: -2, maximum: 2 }))),
    "From -2 to 2. A failure with priority 2 sounds every minute until it is confirmed or the " +
      "check recovers. `null` to derive the priority from the alert.",
  ),
  baseUrl: Described(
    Type.Optional(OrNull(HttpUrl)),
    "Alternative URL of the API, for a proxy; `null` for the default.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures, for example because the token or the user key is wrong. */
const permanentStatuses = new Set([400, 401, 403, 404, 410]);
const emergency = 2;
/** Maximum length of a message. Pushover counts characters, not bytes. */
const maxMessageLength = 1_024;
const maxUrlLength = 512;

const priorities: Readonly<Record<AlertTone, number>> = {
  failing: 1,
  degraded: 0,
  recovered: 0,
  neutral: 0,
};

export const pushoverKind: ChannelKind<Config> = {
  type: "PUSHOVER",
  ConfigSchema,
  secretFields: ["token", "userKey"],
  describeRecipient: (config) => (config.device ? `Pushover ${config.device}` : "Pushover"),
  // Disable digests for emergencies, because a recovery must cancel the emergency of its check.
  acceptsDigests: ({ priority }) => priority !== emergency,
  send: async (message, config, tools) => {
    if (decideTone(message.kind) === "recovered") await cancelEmergency(message, config, tools);
    const result = await postJson(message, tools, {
      url: joinUrl(baseOf(config), "/1/messages.json"),
      body: writeBody(message, config),
    });
    return decideOutcome(result, { provider: "Pushover", permanentStatuses, now: tools.now });
  },
};

const baseOf = ({ baseUrl }: Config) => baseUrl || "https://api.pushover.net";

/** Cancels the emergencies of a check. Ignores failures: emergencies end after an hour anyway. */
async function cancelEmergency(
  message: AlertMessage,
  config: Config,
  tools: SendTools,
): Promise<void> {
  if (config.priority !== emergency) return;
  await postJson(message, tools, {
    url: joinUrl(baseOf(config), `/1/receipts/cancel_by_tag/${message.checkId}.json`),
    body: { token: config.token },
  });
}

function decidePriority(message: AlertMessage, { priority }: Config): number {
  const tone = decideTone(message.kind);
  const requested = priority ?? priorities[tone];
  // An emergency sounds until a person confirms it, so use this priority only for failures.
  return requested === emergency && tone !== "failing" ? priorities[tone] : requested;
}

function writeBody(message: AlertMessage, config: Config) {
  const priority = decidePriority(message, config);
  const url = message.acknowledgeUrl ?? findOpenUrl(message);
  const title = message.acknowledgeUrl === null ? openLabel(message) : acknowledgeLabel(message);
  const isLinked = url !== null && url.length <= maxUrlLength;
  const unlinked = { ...message, acknowledgeUrl: null, alertUrl: null, resultUrl: null };
  return {
    token: config.token,
    user: config.userKey,
    ...(config.device ? { device: config.device } : {}),
    title: writeTitle(message, 250),
    message: writePlainText(unlinked, maxMessageLength),
    priority,
    timestamp: Math.floor(Date.parse(message.startedAt) / 1_000),
    ...(isLinked ? { url, url_title: title } : {}),
    ...(priority === emergency ? { retry: 60, expire: 3_600, tags: message.checkId } : {}),
  };
}
