import { Type } from "typebox";
import { escapeHtml } from "../../../pages/html.ts";
import { Described } from "../../../platform/http/schema.ts";
import { decideOutcome, describeHost, postJson } from "../../../platform/http-delivery.ts";
import { clipText } from "../../../platform/text/clip.ts";
import type { AlertMessage } from "../alert-text.ts";
import {
  decideTone,
  listFacts,
  listLinks,
  toneColours,
  writeIncidentKey,
  writeReason,
  writeTitle,
} from "../alert-text.ts";
import { type ChannelKind, HttpUrl } from "../channel-kind.ts";

const ConfigSchema = Type.Object({
  url: Described(
    HttpUrl,
    "The webhook's address.",
    "https://chat.googleapis.com/v1/spaces/x1/messages?key=x1&token=x1",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: the webhook was deleted, or the message is rejected. */
const permanentStatuses = new Set([400, 401, 403, 404, 410]);

export const googleChatKind: ChannelKind<Config> = {
  type: "GOOGLECHAT",
  ConfigSchema,
  secretFields: ["url"],
  describeRecipient: (config) => `Google Chat at ${describeHost(config.url)}`,
  send: async (message, config, tools) => {
    const url = addReplyOption(config.url);
    const result = await postJson(message, tools, { url, body: writeBody(message) });
    return decideOutcome(result, { provider: "Google Chat", permanentStatuses, now: tools.now });
  },
};

/**
 * Adds the option that puts messages with the same thread key into one thread, so that a recovery
 * appears below its failure.
 */
function addReplyOption(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  url.searchParams.set("messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD");
  return url.href;
}

/**
 * Writes a card. Google Chat interprets HTML in paragraphs, so their text is escaped. Titles are
 * plain text.
 */
function writeBody(message: AlertMessage) {
  const colour = toneColours[decideTone(message.kind)];
  const reason = escapeHtml(writeReason(message));
  const widgets = [
    { textParagraph: { text: `<font color="${colour}"><b>${reason}</b></font>` } },
    ...listFacts(message).map(({ label, value }) => ({
      decoratedText: { topLabel: label, text: escapeHtml(clipText(value, 200)), wrapText: true },
    })),
  ];
  const buttons = listLinks(message).map(({ label, url }) => ({
    text: label,
    onClick: { openLink: { url } },
  }));
  const title = writeTitle(message, 200);
  return {
    fallbackText: title,
    thread: { threadKey: writeIncidentKey(message, 200) },
    cardsV2: [
      {
        cardId: "alert",
        card: {
          header: { title, subtitle: "Vedette" },
          sections: [
            { widgets },
            ...(buttons.length === 0 ? [] : [{ widgets: [{ buttonList: { buttons } }] }]),
          ],
        },
      },
    ],
  };
}
