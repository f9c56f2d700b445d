import { Type } from "typebox";
import { Described, Matching } from "../../../platform/http/schema.ts";
import { decideOutcome, notSent, postJson } from "../../../platform/http-delivery.ts";
import { clipText, toOneLine, toShortLine } from "../../../platform/text/clip.ts";
import type { AlertMessage } from "../alert-text.ts";
import { findOpenUrl } from "../alert-text.ts";
import { type ChannelKind, Label } from "../channel-kind.ts";

const phonePattern = "^\\+?[0-9][0-9 ()./-]{3,38}$";

const ConfigSchema = Type.Object({
  name: Described(Label, "Display name of the recipient.", "On call"),
  number: Matching(phonePattern, "must be a phone number, such as +31 6 12 34 56 78", {
    description: "The phone number.",
    examples: ["+31 6 12 34 56 78"],
    maxLength: 40,
  }),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: the gateway rejects the number or the credentials. */
const permanentStatuses = new Set([400, 401, 403, 404, 410, 422]);

/** Maximum lengths of a text that fits into two SMS parts: in the GSM alphabet, and in UTF-16. */
const maxPlainLength = 306;
const maxUnicodeLength = 134;

export const smsKind: ChannelKind<Config> = {
  type: "SMS",
  ConfigSchema,
  secretFields: [],
  describeRecipient: (config) => toShortLine(`${config.name} (${config.number})`, 300),
  send: async (message, config, tools) => {
    const gateway = tools.smsGateway;
    if (gateway === null) return notSent("No SMS gateway is configured.");
    const result = await postJson(message, tools, {
      url: gateway.url,
      headers: gateway.token === null ? {} : { authorization: `Bearer ${gateway.token}` },
      body: {
        to: config.number.replaceAll(/[ ()./-]/g, ""),
        message: writeSms(message),
        idempotencyKey: message.idempotencyKey,
      },
    });
    const provider = "The SMS gateway";
    return decideOutcome(result, { provider, permanentStatuses, now: tools.now });
  },
};

/** Writes an alert as a text message of at most two SMS parts. */
export function writeSms(message: AlertMessage): string {
  const text = `${toOneLine(message.title)}. ${toOneLine(message.reason)}`;
  const url = toOneLine(message.acknowledgeUrl ?? findOpenUrl(message) ?? "");
  // Matches text in which each character takes exactly one unit of the GSM alphabet.
  const isPlain = /^[\x20-\x5a\x61-\x7a_]*$/.test(text + url);
  const max = isPlain ? maxPlainLength : maxUnicodeLength;
  // Omit the link if it is too long, because a truncated link would not work.
  const tail = url === "" || url.length > max / 2 ? "" : ` ${url}`;
  const maxTextLength = max - tail.length;
  if (text.length <= maxTextLength) return text + tail;
  const cut = isPlain ? `${text.slice(0, maxTextLength - 3)}...` : clipText(text, maxTextLength);
  return cut + tail;
}
