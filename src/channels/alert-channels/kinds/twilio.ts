import { createHmac, timingSafeEqual } from "node:crypto";
import { Type } from "typebox";
import { escapeHtml } from "../../../pages/html.ts";
import { Described, Matching, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { decideOutcome, joinUrl, postForm } from "../../../platform/http-delivery.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import type { AlertMessage } from "../alert-text.ts";
import { writeReason, writeTitle } from "../alert-text.ts";
import {
  type ChannelKind,
  HttpUrl,
  Label,
  type ProviderRequest,
  Secret,
  type SendTools,
} from "../channel-kind.ts";
import { writeSms } from "./sms.ts";

const phonePattern = "^\\+[1-9][0-9]{5,14}$";
const servicePattern = /^MG[0-9a-fA-F]{32}$/;
const callerPattern = /^\+[1-9][0-9]{2,14}$/;

const ConfigSchema = Type.Object({
  name: Described(Label, "Display name of the recipient.", "On call"),
  method: Described(
    OneOf(["CALL", "SMS"]),
    "CALL reads the alert aloud, and pressing 1 acknowledges it; SMS sends it as text.",
  ),
  to: Matching(phonePattern, "must be a phone number such as +31612345678", {
    description: "The phone number, with its country code.",
    examples: ["+31612345678"],
  }),
  from: Matching(
    "^(?:\\+[1-9][0-9]{2,14}|MG[0-9a-fA-F]{32}|[A-Za-z0-9 +&_-]{1,11})$",
    "must be a phone number, or for SMS the id of a messaging service or a sender name",
    {
      description:
        "The number at Twilio that calls or sends. For SMS also the id of a messaging service, " +
        "or a sender name.",
      examples: ["+15005550006"],
    },
  ),
  accountSid: Matching("^AC[0-9a-fA-F]{32}$", "must be AC and 32 hexadecimal digits", {
    description: "The id of the Twilio account.",
    examples: ["AC00000000000000000000000000000000"],
  }),
  authToken: Described(Secret, "The auth token of the Twilio account.", "5f2b8e11"),
  baseUrl: Described(
    Type.Optional(OrNull(HttpUrl)),
    "Alternative URL of the API, for a proxy; `null` for the default.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/** Statuses of permanent failures: Twilio rejects the numbers or the credentials. */
const permanentStatuses = new Set([400, 401, 403, 404, 410, 422]);
const maxSpokenLength = 300;
const secondsToPress = 10;

/** Sends an alert as a text message, or as a call in which a pressed key acknowledges the alert. */
export const twilioKind: ChannelKind<Config> = {
  type: "TWILIO",
  ConfigSchema,
  secretFields: ["authToken"],
  describeRecipient: ({ name, method, to }) =>
    toShortLine(`${name} (${method === "CALL" ? "call to" : "SMS to"} ${to})`, 300),
  findFault: ({ method, from }) =>
    method === "CALL" && !callerPattern.test(from)
      ? { key: "from", rule: "must be a phone number to make calls" }
      : null,
  send: async (message, config, tools) => {
    const { accountSid, authToken, baseUrl } = config;
    const pair = Buffer.from(`${accountSid}:${authToken}`, "utf8").toString("base64");
    const { resource, fields } =
      config.method === "CALL" ? writeCall(message, config, tools) : writeText(message, config);
    const result = await postForm(message, tools, {
      url: joinUrl(
        baseUrl || "https://api.twilio.com",
        `/2010-04-01/Accounts/${accountSid}/${resource}.json`,
      ),
      headers: { authorization: `Basic ${pair}` },
      fields,
    });
    return decideOutcome(result, { provider: "Twilio", permanentStatuses, now: tools.now });
  },
  calls: {
    readDigits: (request, { authToken }) =>
      isSigned(request, authToken) ? (request.fields.get("Digits") ?? "") : null,
    writeReply: (text) => writeTwiml(`<Say>${escapeHtml(text)}</Say>`),
  },
};

function writeText(message: AlertMessage, { to, from }: Config) {
  const sender = servicePattern.test(from) ? { MessagingServiceSid: from } : { From: from };
  return { resource: "Messages", fields: { To: to, ...sender, Body: writeSms(message) } };
}

/**
 * Writes the request of a call. The request contains the spoken text, so that the alert is read
 * aloud even if Twilio cannot reach this server. Twilio contacts this server only to report a
 * pressed key.
 */
function writeCall(message: AlertMessage, { to, from }: Config, { channelId }: SendTools) {
  const title = toShortLine(writeTitle(message), maxSpokenLength);
  const text = escapeHtml(`${title}. ${writeReason(message, maxSpokenLength)}`);
  const { acknowledgeUrl } = message;
  const canAcknowledge = acknowledgeUrl !== null && typeof channelId === "number";
  const twiml = canAcknowledge
    ? `<Gather numDigits="1" timeout="${secondsToPress}" method="POST" ` +
      `action="${escapeHtml(`${acknowledgeUrl}/call/${channelId}`)}">` +
      `<Say loop="2">${text} Press 1 to acknowledge.</Say></Gather><Say>Not acknowledged.</Say>`
    : `<Say loop="2">${text}</Say>`;
  return { resource: "Calls", fields: { To: to, From: from, Twiml: writeTwiml(twiml) } };
}

const writeTwiml = (body: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><Response>${body}</Response>`;

/** Lists the forms of a URL that Twilio may sign: unchanged, without a port, and with a port. */
function listSignedUrls(url: string): string[] {
  const parsed = URL.parse(url);
  if (parsed === null) return [url];
  const { protocol, hostname, port } = parsed;
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  const known = port || (protocol === "https:" ? "443" : "80");
  return [url, `${protocol}//${hostname}${path}`, `${protocol}//${hostname}:${known}${path}`];
}

/** Whether Twilio signed the request. The signature covers the URL and the sorted fields. */
function isSigned({ url, fields, signature }: ProviderRequest, authToken: string): boolean {
  const sorted = [...fields].sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
  const form = sorted.map(([name, value]) => name + value).join("");
  const given = Buffer.from(signature, "base64");
  return listSignedUrls(url).some((signed) => {
    const expected = createHmac("sha1", authToken)
      .update(signed + form, "utf8")
      .digest();
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
