import { Type } from "typebox";
import { Described } from "../../../platform/http/schema.ts";
import { decideOutcome, describeHost, notSent, postJson } from "../../../platform/http-delivery.ts";
import type { OutboundResult } from "../../../platform/outbound.ts";
import type { AlertMessage } from "../alert-text.ts";
import {
  type AlertTone,
  decideTone,
  listFacts,
  listLinks,
  writeReason,
  writeTitle,
} from "../alert-text.ts";
import { type ChannelKind, HttpUrl } from "../channel-kind.ts";

const ConfigSchema = Type.Object({
  url: Described(HttpUrl, "The webhook's address.", "https://example.webhook.office.com/x1"),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: the workflow was deleted, or Teams rejects the card. */
const permanentStatuses = new Set([400, 401, 403, 404, 410, 413]);

export const msTeamsKind: ChannelKind<Config> = {
  type: "MSTEAMS",
  ConfigSchema,
  secretFields: ["url"],
  describeRecipient: (config) => `Microsoft Teams at ${describeHost(config.url)}`,
  send: async (message, config, tools) => {
    const result = await postJson(message, tools, { url: config.url, body: writeBody(message) });
    if (isHiddenFailure(result)) {
      return notSent("Microsoft Teams responded 200 but did not deliver the message.", {
        statusCode: 200,
      });
    }
    const provider = "Microsoft Teams";
    return decideOutcome(result, { provider, permanentStatuses, now: tools.now });
  },
};

/**
 * Whether the response body reports a failure. Connectors respond with status 200 even if they did
 * not deliver the message because a rate limit was exceeded.
 */
function isHiddenFailure(result: OutboundResult): boolean {
  return (
    result.kind === "answered" &&
    result.status === 200 &&
    result.bodyText.startsWith("Webhook message delivery failed")
  );
}

const colours: Readonly<Record<AlertTone, string>> = {
  failing: "Attention",
  degraded: "Warning",
  recovered: "Good",
  neutral: "Default",
};

/**
 * Writes one line of a card as `TextRun` elements. Teams interprets all other text elements of a
 * card as Markdown.
 */
function toLine(...runs: readonly Readonly<Record<string, unknown>>[]) {
  const inlines = runs.map((run) => ({ type: "TextRun", ...run }));
  return { type: "RichTextBlock", inlines };
}

function writeBody(message: AlertMessage) {
  const color = colours[decideTone(message.kind)];
  const title = { text: writeTitle(message), weight: "Bolder", size: "Large", color };
  const facts = listFacts(message).map(({ label, value }) =>
    toLine({ text: `${label}: `, weight: "Bolder" }, { text: value }),
  );
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [toLine(title), toLine({ text: writeReason(message) }), ...facts],
    actions: listLinks(message).map(({ label, url }) => ({
      type: "Action.OpenUrl",
      title: label,
      url,
    })),
  };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return { type: "message", attachments: [{ contentType, contentUrl: null, content }] };
}
