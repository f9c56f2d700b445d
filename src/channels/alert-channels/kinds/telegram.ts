import { Type } from "typebox";
import { escapeHtml } from "../../../pages/html.ts";
import type { SendOutcome } from "../../../platform/deliverer.ts";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import { boundSeconds, decideOutcome, joinUrl, postJson } from "../../../platform/http-delivery.ts";
import type { OutboundResult } from "../../../platform/outbound.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import type { AlertMessage } from "../alert-text.ts";
import { listFacts, listLinks, writeReason, writeTitle } from "../alert-text.ts";
import { type ChannelKind, HttpUrl, Secret } from "../channel-kind.ts";

const ConfigSchema = Type.Object({
  botToken: Described(Secret, "The bot's token.", "123456:ABC-DEF"),
  chatId: Type.String({
    description: "The chat's id.",
    examples: ["-1001234567"],
    minLength: 1,
    maxLength: 128,
  }),
  baseUrl: Described(
    Type.Optional(OrNull(HttpUrl)),
    "Alternative URL of the API, for a proxy; `null` for the default.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: no such chat, a revoked token, or the bot was removed. */
const permanentStatuses = new Set([400, 401, 403, 404, 410]);

export const telegramKind: ChannelKind<Config> = {
  type: "TELEGRAM",
  ConfigSchema,
  secretFields: ["botToken"],
  describeRecipient: (config) => `Telegram chat ${toShortLine(config.chatId, 128)}`,
  send: async (message, config, tools) => {
    const token = encodeURIComponent(config.botToken).replaceAll("%3A", ":");
    const base = config.baseUrl || "https://api.telegram.org";
    const result = await postJson(message, tools, {
      url: joinUrl(base, `/bot${token}/sendMessage`),
      body: {
        chat_id: config.chatId,
        text: writeHtml(message),
        parse_mode: "HTML",
        link_preview_options: { is_disabled: true },
      },
    });
    const rules = { provider: "Telegram", permanentStatuses, now: tools.now };
    return addRetryAfter(decideOutcome(result, rules), result);
  },
};

function writeHtml(message: AlertMessage): string {
  const facts = listFacts(message).map(
    ({ label, value }) => `${label}: <code>${escapeHtml(value)}</code>`,
  );
  const links = listLinks(message).map(
    ({ label, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`,
  );
  return [
    `<b>${escapeHtml(writeTitle(message))}</b>`,
    escapeHtml(writeReason(message)),
    "",
    ...facts,
    "",
    links.join("  "),
  ].join("\n");
}

/** Adds the retry delay, which Telegram sends in the body instead of the Retry-After header. */
function addRetryAfter(outcome: SendOutcome, result: OutboundResult): SendOutcome {
  if (outcome.kind === "sent" || result.kind !== "answered") return outcome;
  const seconds = Number(/"retry_after"\s*:\s*(\d{1,9})/.exec(result.bodyText)?.[1] ?? Number.NaN);
  return Number.isNaN(seconds) ? outcome : { ...outcome, retryAfterSeconds: boundSeconds(seconds) };
}
