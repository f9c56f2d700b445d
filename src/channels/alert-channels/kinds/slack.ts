import { Type } from "typebox";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, describeHost, postJson } from "../../../platform/http-delivery.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import { escapeSlack } from "../../../platform/text/escaping.ts";
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
    "https://hooks.slack.com/services/T0/B0/x1",
  ),
  channel: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 80 }))),
    "The channel to post to; `null` for the webhook's channel.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: the webhook was revoked, or Slack rejects the message. */
const permanentStatuses = new Set([400, 401, 403, 404, 410]);

export const slackKind: ChannelKind<Config> = {
  type: "SLACK",
  ConfigSchema,
  secretFields: ["url"],
  describeRecipient: (config) =>
    config.channel
      ? `Slack ${toShortLine(config.channel, 80)}`
      : `Slack at ${describeHost(config.url)}`,
  send: async (message, config, tools) => {
    const body = {
      ...(config.channel ? { channel: config.channel } : {}),
      ...writeBody(message),
    };
    const result = await postJson(message, tools, { url: config.url, body });
    return decideOutcome(result, { provider: "Slack", permanentStatuses, now: tools.now });
  },
};

/** Creates a text object. With `verbatim`, Slack creates no links and mentions from the text. */
function toMrkdwn(text: string) {
  return { type: "mrkdwn", text, verbatim: true } as const;
}

function writeBody(message: AlertMessage) {
  const fields = listFacts(message).map(({ label, value }) =>
    toMrkdwn(`*${label}*\n${escapeSlack(value) || "-"}`),
  );
  const buttons = listLinks(message).map(({ label, url }) => ({
    type: "button",
    text: { type: "plain_text", text: label },
    url,
  }));
  const blocks = [
    { type: "section", text: toMrkdwn(escapeSlack(writeReason(message)) || "-") },
    { type: "section", fields },
    ...(buttons.length === 0 ? [] : [{ type: "actions", elements: buttons }]),
  ];
  return {
    text: escapeSlack(writeTitle(message)),
    link_names: false,
    unfurl_links: false,
    attachments: [{ color: toneColours[decideTone(message.kind)], blocks }],
  };
}
