import { Type } from "typebox";
import { escapeHtml } from "../../../pages/html.ts";
import type { SendOutcome } from "../../../platform/deliverer.ts";
import { Described, Matching } from "../../../platform/http/schema.ts";
import { boundSeconds, decideOutcome, joinUrl, sendJson } from "../../../platform/http-delivery.ts";
import type { OutboundResult } from "../../../platform/outbound.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import type { AlertMessage } from "../alert-text.ts";
import { listFacts, listLinks, writePlainText, writeReason, writeTitle } from "../alert-text.ts";
import { type ChannelKind, HttpUrl, Secret } from "../channel-kind.ts";

const ConfigSchema = Type.Object({
  url: Described(HttpUrl, "The homeserver's address.", "https://matrix.example.com"),
  roomId: Matching("^!\\S+$", "must be the id of a Matrix room, such as !AbCdEf:example.com", {
    description: "Id of the Matrix room. The user of the token must have joined it.",
    examples: ["!AbCdEf:example.com"],
    maxLength: 255,
  }),
  accessToken: Described(Secret, "The access token of the sending user.", "syt_x1"),
});
type Config = Type.Static<typeof ConfigSchema>;

/**
 * Statuses of permanent failures: the token was revoked, the user has not joined the Matrix room,
 * or the server rejects the message.
 */
const permanentStatuses = new Set([400, 401, 403, 404, 410, 413]);
const maxTextLength = 6_000;

export const matrixKind: ChannelKind<Config> = {
  type: "MATRIX",
  ConfigSchema,
  secretFields: ["accessToken"],
  describeRecipient: (config) => `Matrix room ${toShortLine(config.roomId, 255)}`,
  send: async (message, config, tools) => {
    const room = encodeURIComponent(config.roomId);
    // The server ignores a repeated transaction id, so a retry does not post the message twice.
    const transaction = encodeURIComponent(message.idempotencyKey);
    const path = `/_matrix/client/v3/rooms/${room}/send/m.room.message/${transaction}`;
    const result = await sendJson("PUT", message, tools, {
      url: joinUrl(config.url, path),
      headers: { authorization: `Bearer ${config.accessToken}` },
      body: writeBody(message),
    });
    const rules = { provider: "Matrix", permanentStatuses, now: tools.now };
    return addRetryAfter(decideOutcome(result, rules), result);
  },
};

function writeBody(message: AlertMessage) {
  const facts = listFacts(message).map(
    ({ label, value }) => `<li>${label}: <code>${escapeHtml(value)}</code></li>`,
  );
  const links = listLinks(message).map(
    ({ label, url }) => `<a href="${escapeHtml(url)}">${label}</a>`,
  );
  return {
    msgtype: "m.text",
    body: `${writeTitle(message)}\n\n${writePlainText(message, maxTextLength)}`,
    format: "org.matrix.custom.html",
    formatted_body: [
      `<h4>${escapeHtml(writeTitle(message))}</h4>`,
      `<p>${escapeHtml(writeReason(message))}</p>`,
      `<ul>${facts.join("")}</ul>`,
      `<p>${links.join(" · ")}</p>`,
    ].join(""),
    // Disable mentions, because the name of a check could contain a user id.
    "m.mentions": {},
  };
}

/**
 * Adds the retry delay from the response body, because servers before Matrix 1.10 send no
 * Retry-After header.
 */
function addRetryAfter(outcome: SendOutcome, result: OutboundResult): SendOutcome {
  if (outcome.kind === "sent" || result.kind !== "answered") return outcome;
  if (outcome.retryAfterSeconds !== null) return outcome;
  const ms = Number(/"retry_after_ms"\s*:\s*(\d{1,12})/.exec(result.bodyText)?.[1] ?? Number.NaN);
  return Number.isNaN(ms) ? outcome : { ...outcome, retryAfterSeconds: boundSeconds(ms / 1_000) };
}
