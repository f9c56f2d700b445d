import { Type } from "typebox";
import { Described, Matching, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, describeHost, joinUrl, postJson } from "../../../platform/http-delivery.ts";
import { writePlainText, writeTitle } from "../alert-text.ts";
import { type ChannelKind, HttpUrl } from "../channel-kind.ts";

const hex = (digits: number) => `[0-9a-fA-F]{${digits}}`;
const recipient =
  "(?:\\+[0-9]{6,15}|group\\.[A-Za-z0-9+/=_-]{1,200}|[A-Za-z_][A-Za-z0-9_]{2,31}\\.[0-9]{2,10}|" +
  `${[8, 4, 4, 4, 12].map(hex).join("-")})`;

const ConfigSchema = Type.Object({
  url: Described(HttpUrl, "The address of your signal-cli REST API.", "https://signal.example.com"),
  number: Matching("^\\+[0-9]{6,15}$", "must be a phone number such as +31612345678", {
    description: "The registered number that sends, with its country code.",
    examples: ["+31612345678"],
  }),
  recipients: Matching(
    `^\\s*${recipient}(?:\\s*,\\s*${recipient}){0,19}\\s*$`,
    "must be phone numbers, group ids, user names or account ids, separated by commas",
    {
      description:
        "Phone numbers, ids of groups (`group.…`), user names or account ids (UUIDs), separated by " +
        "commas.",
      examples: ["+31687654321"],
      maxLength: 4_000,
    },
  ),
  token: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 1_024 }))),
    "Bearer token for a proxy in front of the server; `null` if there is none.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/**
 * Statuses of permanent failures. Status 400 is not permanent, because the server also responds 400
 * while Signal is temporarily unreachable.
 */
const permanentStatuses = new Set([401, 403, 404, 405, 410]);
/** Maximum length of a text. Signal shows longer messages as attachments. */
const maxTextLength = 1_900;

export const signalKind: ChannelKind<Config> = {
  type: "SIGNAL",
  ConfigSchema,
  secretFields: ["token"],
  describeRecipient: ({ recipients, url }) => {
    const [first = "", ...others] = listRecipients(recipients);
    const rest = others.length === 0 ? "" : ` and ${others.length} more`;
    return `Signal ${first}${rest} at ${describeHost(url)}`;
  },
  send: async (message, config, tools) => {
    const result = await postJson(message, tools, {
      url: joinUrl(config.url, "/v2/send"),
      headers: config.token ? { authorization: `Bearer ${config.token}` } : {},
      body: {
        number: config.number,
        recipients: listRecipients(config.recipients),
        message: `${writeTitle(message)}\n\n${writePlainText(message, maxTextLength)}`,
        // Disable formatting, so that the names of checks are shown literally.
        text_mode: "normal",
      },
    });
    return decideOutcome(result, { provider: "Signal", permanentStatuses, now: tools.now });
  },
};

function listRecipients(recipients: string): string[] {
  return recipients.split(",").map((one) => one.trim());
}
