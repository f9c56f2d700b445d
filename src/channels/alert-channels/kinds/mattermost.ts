import { Type } from "typebox";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, describeHost, postJson } from "../../../platform/http-delivery.ts";
import { clipText, toShortLine } from "../../../platform/text/clip.ts";
import { escapeMattermost } from "../../../platform/text/escaping.ts";
import type { AlertMessage } from "../alert-text.ts";
import {
  decideTone,
  listFacts,
  listLinks,
  toneColours,
  writeReason,
  writeTitle,
} from "../alert-text.ts";
import { type ChannelKind, HttpUrl } from "../channel-kind.ts";

const ConfigSchema = Type.Object({
  url: Described(
    HttpUrl,
    "URL of the incoming webhook.",
    "https://mattermost.example.com/hooks/x1",
  ),
  channel: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 80 }))),
    "The channel to post to, as in its URL, or @user; `null` for the webhook's channel.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: the webhook was deleted, or Mattermost rejects the message. */
const permanentStatuses = new Set([400, 401, 403, 404, 410]);

export const mattermostKind: ChannelKind<Config> = {
  type: "MATTERMOST",
  ConfigSchema,
  secretFields: ["url"],
  describeRecipient: (config) =>
    config.channel
      ? `Mattermost ${toShortLine(config.channel, 80)}`
      : `Mattermost at ${describeHost(config.url)}`,
  send: async (message, config, tools) => {
    const body = {
      ...(config.channel ? { channel: config.channel } : {}),
      attachments: [writeAttachment(message)],
    };
    const result = await postJson(message, tools, { url: config.url, body });
    return decideOutcome(result, { provider: "Mattermost", permanentStatuses, now: tools.now });
  },
};

/**
 * Maximum length of a value. Older servers reject a post whose attachments have more than 8,000
 * characters in total.
 */
const maxValueLength = 100;

function writeAttachment(message: AlertMessage) {
  const title = writeTitle(message, 200);
  const links = listLinks(message).map(({ label, url }) => `[${label}](${url})`);
  return {
    fallback: title,
    color: toneColours[decideTone(message.kind)],
    title: escapeMattermost(title),
    text: [escapeMattermost(writeReason(message, 300)), links.join("  ")].join("\n\n"),
    fields: listFacts(message).map(({ label, value }) => ({
      short: true,
      title: label,
      value: escapeMattermost(clipText(value, maxValueLength)),
    })),
  };
}
