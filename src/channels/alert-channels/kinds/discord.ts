import { Type } from "typebox";
import { Described } from "../../../platform/http/schema.ts";
import { decideOutcome, describeHost, postJson } from "../../../platform/http-delivery.ts";
import { clipText } from "../../../platform/text/clip.ts";
import { escapeMarkdown } from "../../../platform/text/escaping.ts";
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
  url: Described(HttpUrl, "The webhook's address.", "https://discord.com/api/webhooks/1/x1"),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: the webhook was deleted, or Discord rejects the message. */
const permanentStatuses = new Set([400, 401, 403, 404, 410]);

export const discordKind: ChannelKind<Config> = {
  type: "DISCORD",
  ConfigSchema,
  secretFields: ["url"],
  describeRecipient: (config) => `Discord at ${describeHost(config.url)}`,
  send: async (message, config, tools) => {
    const result = await postJson(message, tools, { url: config.url, body: writeBody(message) });
    return decideOutcome(result, { provider: "Discord", permanentStatuses, now: tools.now });
  },
};

/**
 * Maximum lengths after escaping. Discord rejects the whole message if one part is too long.
 * Escaping can double the length of a text, so the text is truncated to half of the maximum first.
 */
const maxTitleLength = 256;
const maxValueLength = 350;

function writeBody(message: AlertMessage) {
  const links = listLinks(message).map(({ label, url }) => `[${label}](${url})`);
  const description = [escapeMarkdown(writeReason(message)), ...links].join("\n");
  const embed = {
    title: escapeMarkdown(writeTitle(message, maxTitleLength / 2)),
    description,
    color: Number.parseInt(toneColours[decideTone(message.kind)].slice(1), 16),
    fields: listFacts(message).map(({ label, value }) => ({
      name: label,
      value: escapeMarkdown(clipText(value, maxValueLength / 2)) || "-",
      inline: true,
    })),
  };
  // Disable mentions, because the name of a check could contain @everyone.
  return { embeds: [embed], allowed_mentions: { parse: [] } };
}
