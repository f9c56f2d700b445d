import { Type } from "typebox";
import { Described, Matching, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, describeHost, joinUrl, postJson } from "../../../platform/http-delivery.ts";
import type { AlertMessage } from "../alert-text.ts";
import {
  type AlertTone,
  acknowledgeLabel,
  decideTone,
  findOpenUrl,
  writePlainText,
  writeTitle,
} from "../alert-text.ts";
import { type ChannelKind, HttpUrl } from "../channel-kind.ts";

const topicPattern = "^[-_A-Za-z0-9]{1,64}$";

const ConfigSchema = Type.Object({
  url: Described(HttpUrl, "The server's address.", "https://ntfy.example.com"),
  topic: Matching(topicPattern, "must be 1 to 64 letters, digits, hyphens and underscores", {
    description: "The topic.",
    examples: ["alerts"],
  }),
  token: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 1_024 }))),
    "The access token; `null` if none is required.",
  ),
  priority: Described(
    Type.Optional(OrNull(Type.Integer({ minimum: 1, maximum: 5 }))),
    "The priority; `null` to derive it from the alert.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: no ntfy server, or the token may not write to the topic. */
const permanentStatuses = new Set([400, 401, 403, 404, 410]);

export const ntfyKind: ChannelKind<Config> = {
  type: "NTFY",
  ConfigSchema,
  secretFields: ["token"],
  describeRecipient: (config) => `ntfy ${config.topic} at ${describeHost(config.url)}`,
  send: async (message, config, tools) => {
    const result = await postJson(message, tools, {
      url: joinUrl(config.url, "/"),
      headers: config.token ? { authorization: `Bearer ${config.token}` } : {},
      body: writeBody(message, config),
    });
    return decideOutcome(result, { provider: "ntfy", permanentStatuses, now: tools.now });
  },
};

const tones: Readonly<Record<AlertTone, { readonly priority: number; readonly tag: string }>> = {
  failing: { priority: 5, tag: "rotating_light" },
  degraded: { priority: 4, tag: "warning" },
  recovered: { priority: 3, tag: "white_check_mark" },
  neutral: { priority: 3, tag: "information_source" },
};

/** Writes the message as JSON, because HTTP headers cannot represent every character. */
function writeBody(message: AlertMessage, config: Config) {
  const { priority, tag } = tones[decideTone(message.kind)];
  const { acknowledgeUrl } = message;
  const openUrl = findOpenUrl(message);
  const acknowledge = { action: "view", label: acknowledgeLabel(message), url: acknowledgeUrl };
  return {
    topic: config.topic,
    title: writeTitle(message),
    // Limit the text, because ntfy converts a message of more than 4,096 bytes to an attachment.
    message: writePlainText(message, 1_300),
    priority: config.priority ?? priority,
    tags: [tag],
    ...(openUrl === null ? {} : { click: openUrl }),
    ...(acknowledgeUrl === null ? {} : { actions: [acknowledge] }),
  };
}
