import { Type } from "typebox";
import { type MailContent, renderMail } from "../../../pages/mails/layout.ts";
import { Described, Email } from "../../../platform/http/schema.ts";
import { notSent } from "../../../platform/http-delivery.ts";
import type { AlertMessage } from "../alert-text.ts";
import {
  type AlertTone,
  decideTone,
  listFacts,
  listLinks,
  listResponseLinks,
  writeReason,
  writeTitle,
} from "../alert-text.ts";
import type { ChannelKind } from "../channel-kind.ts";

const ConfigSchema = Type.Object({
  address: Described(Email, "The email address.", "ops@example.com"),
});
type Config = Type.Static<typeof ConfigSchema>;

export const emailKind: ChannelKind<Config> = {
  type: "EMAIL",
  ConfigSchema,
  secretFields: [],
  describeRecipient: (config) => config.address,
  send: async (message, config, tools) => {
    if (tools.mailer === null) return notSent("No SMTP server is configured.");
    const outcome = await tools.mailer.send({
      to: config.address,
      content: renderMail(toContent(message, config.address)),
      headers: {
        // The first two headers prevent automatic replies, such as out-of-office messages.
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        "X-Vedette-Alert": message.kind,
      },
      messageId: message.idempotencyKey,
    });
    if (outcome.kind === "sent") return { kind: "sent", statusCode: null };
    const { isPermanent, code, reason } = outcome;
    return notSent(reason, { isPermanent, statusCode: code });
  },
};

const states: Readonly<Record<AlertTone, NonNullable<MailContent["state"]>>> = {
  failing: { tone: "bad", words: "Failing" },
  degraded: { tone: "fair", words: "Degraded" },
  recovered: { tone: "good", words: "Recovered" },
  neutral: { tone: "none", words: "Test" },
};

const maxListed = 100;

/** Lists each alert of a digest with its reason. */
function listMembers({ digest = [] }: AlertMessage): MailContent["parts"] {
  if (digest.length === 0) return [];
  const facts = digest
    .slice(0, maxListed)
    .map((one): [string, string] => [writeTitle(one, 120), writeReason(one, 200)]);
  return [{ kind: "facts", facts }];
}

/**
 * Converts a message to an email. The email shows all facts, so its main button acknowledges the
 * alert instead of opening the application.
 */
function toContent(message: AlertMessage, address: string): MailContent {
  const title = writeTitle(message);
  const reason = writeReason(message);
  const links = [...listLinks(message), ...listResponseLinks(message)].map(({ label, url }) => ({
    words: label,
    url,
  }));
  const action = links.find(({ url }) => url === message.acknowledgeUrl) ?? links[0] ?? null;
  return {
    sender: "Vedette",
    subject: title,
    title,
    preview: reason,
    state: states[decideTone(message.kind)],
    parts: [
      { kind: "text", words: reason },
      { kind: "facts", facts: listFacts(message).map(({ label, value }) => [label, value]) },
      ...listMembers(message),
    ],
    action,
    links: links.filter((link) => link !== action),
    footer: { words: `You receive this mail because Vedette sends alerts to ${address}.` },
  };
}
