import { Type } from "typebox";
import { escapeHtml } from "../../../pages/html.ts";
import { colors } from "../../../pages/tokens.ts";
import { Described, Email } from "../../../platform/http/schema.ts";
import type { AlertMessage } from "../alert-message.ts";
import {
  decideTone,
  listFacts,
  listLinks,
  toneColours,
  writePlainText,
  writeReason,
  writeTitle,
} from "../alert-text.ts";
import type { ChannelKind } from "../channel-kind.ts";
import { notSent } from "../http-delivery.ts";

const ConfigSchema = Type.Object({
  address: Described(Email, "The email address.", "ops@example.com"),
});
type Config = Type.Static<typeof ConfigSchema>;

const maxTextLength = 20_000;

export const emailKind: ChannelKind<Config> = {
  type: "EMAIL",
  ConfigSchema,
  secretFields: [],
  describeRecipient: (config) => config.address,
  send: async (message, config, tools) => {
    if (tools.mailer === null) return notSent("No SMTP server is configured.");
    const outcome = await tools.mailer.send({
      to: config.address,
      subject: writeTitle(message),
      text: `${writeTitle(message)}\n\n${writePlainText(message, maxTextLength)}\n`,
      html: writeHtml(message),
      headers: {
        // Keeps out-of-office replies and mailing lists from answering.
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

function writeHtml(message: AlertMessage): string {
  const colour = toneColours[decideTone(message.kind)];
  const rows = listFacts(message).map(
    ({ label, value }) =>
      `<tr><td style="padding:2px 16px 2px 0;color:${colors.light.muted}">${escapeHtml(label)}</td>` +
      `<td style="padding:2px 0">${escapeHtml(value)}</td></tr>`,
  );
  const links = listLinks(message).map(
    ({ label, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`,
  );
  return [
    "<!doctype html>",
    '<html><head><meta charset="utf-8"></head>',
    `<body style="font-family:sans-serif;font-size:15px;color:${colors.light.ink}">`,
    `<h1 style="font-size:20px;border-left:6px solid ${colour};padding-left:12px">`,
    `${escapeHtml(writeTitle(message))}</h1>`,
    `<p>${escapeHtml(writeReason(message))}</p>`,
    `<table cellspacing="0">${rows.join("")}</table>`,
    `<p>${links.join(" &nbsp; ")}</p>`,
    "</body></html>",
  ].join("\n");
}
