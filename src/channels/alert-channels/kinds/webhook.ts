import { Type } from "typebox";
import { Described, Matching, OrNull } from "../../../platform/http/schema.ts";
import {
  decideOutcome,
  describeHost,
  notSent,
  writeProof,
} from "../../../platform/http-delivery.ts";
import { outboundMethods } from "../../../platform/outbound.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import { maxTemplateLength } from "../../../platform/text/template.ts";
import type { AlertMessage, StoredMessage } from "../alert-text.ts";
import { decideFormat, renderTemplate } from "../alert-text.ts";
import { type ChannelKind, HttpUrl, Label } from "../channel-kind.ts";

const KeyValue = Type.Object({
  key: Type.String({ description: "The name.", examples: ["token"], minLength: 1, maxLength: 255 }),
  value: Type.String({ description: "The value.", examples: ["••••"], maxLength: 4_096 }),
  locked: Type.Boolean({ description: "If true, the value is never shown again.", default: false }),
});
const Header = Type.Object({
  ...KeyValue.properties,
  // A header name must be a token as in RFC 9110, and a header value must fit on one line.
  key: Matching("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", "must be the name of a header, without spaces", {
    description: "The header's name.",
    examples: ["authorization"],
    maxLength: 255,
  }),
  value: Matching("^[\\t\\x20-\\x7e\\x80-\\xff]*$", "must be one line of text", {
    description: "The header's value.",
    examples: ["Bearer x1"],
    maxLength: 4_096,
  }),
});

const ConfigSchema = Type.Object({
  name: Described(Label, "Display name.", "Pager"),
  url: Described(HttpUrl, "The address.", "https://hooks.example.com/x1"),
  method: Type.Optional(
    Type.Enum([...outboundMethods], {
      description: "The HTTP method.",
      type: "string",
      default: "POST",
    }),
  ),
  template: Described(
    Type.Optional(OrNull(Type.String({ maxLength: maxTemplateLength }))),
    "The body, with variables such as `{{ALERT_TITLE}}`; `null` or empty for the default JSON.",
  ),
  headers: Type.Optional(
    Type.Array(Header, { description: "Headers of the request.", maxItems: 50, default: [] }),
  ),
  queryParameters: Type.Optional(
    Type.Array(KeyValue, {
      description: "Parameters added to the URL.",
      maxItems: 50,
      default: [],
    }),
  ),
  webhookSecret: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 1_024 }))),
    "Signs every request (`x-vedette-signature`); `null` if requests are not signed.",
  ),
  webhookType: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 64 }))),
    "What receives the requests, as other clients name it. The body of `WEBHOOK_TELEGRAM` is a " +
      "form unless a header says otherwise.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

const formType = "application/x-www-form-urlencoded";
const isTelegram = ({ webhookType }: Config) => webhookType === "WEBHOOK_TELEGRAM";

/** Statuses of permanent failures: a retry would be rejected again. */
const permanentStatuses = new Set([400, 401, 403, 404, 405, 410, 413, 414, 415, 422]);

export const webhookKind: ChannelKind<Config> = {
  type: "WEBHOOK",
  ConfigSchema,
  secretFields: ["webhookSecret", "headers[].value", "queryParameters[].value"],
  describeRecipient: (config) => `${toShortLine(config.name, 255)} at ${describeHost(config.url)}`,
  // Disable digests if the channel has a template, because a template describes a single alert.
  acceptsDigests: ({ template }) => (template ?? "").trim() === "",
  send: async (message, config, tools) => {
    const method = config.method ?? "POST";
    const typed = (config.headers ?? []).map(({ key, value }) => [key.toLowerCase(), value]);
    const headers: Record<string, string> = {
      "content-type": isTelegram(config) ? formType : "application/json",
      ...Object.fromEntries(typed),
    };
    const hasBody = method !== "GET" && method !== "HEAD";
    const body = hasBody ? writeBody(message, config, headers["content-type"] ?? "") : "";
    if (body === null) {
      return notSent("The body would be larger than 64 KiB.", { isPermanent: true });
    }
    if (!hasBody) delete headers["content-type"];
    const result = await tools.outbound.request({
      method,
      url: addQuery(config),
      headers: {
        ...headers,
        ...writeProof({
          idempotencyKey: message.idempotencyKey,
          body,
          secret: config.webhookSecret,
          now: tools.now,
        }),
      },
      body: hasBody ? body : null,
      timeoutMs: 15_000,
    });
    return decideOutcome(result, { provider: "The webhook", permanentStatuses, now: tools.now });
  },
};

/** Writes the request body. Returns `null` if the rendered template is too large. */
function writeBody(message: AlertMessage, config: Config, contentType: string): string | null {
  const template = config.template ?? "";
  if (template.trim() === "") return JSON.stringify(toPlainEvent(message));
  const format = decideFormat(contentType);
  const isHtml = format === "form" && isTelegram(config);
  const rendered = renderTemplate(template, message, isHtml ? "html-form" : format);
  return rendered.kind === "rendered" ? rendered.text : null;
}

/**
 * Converts a message to the default JSON body. The idempotency key is omitted, because a header
 * contains it.
 */
function toPlainEvent(message: AlertMessage): Record<string, unknown> {
  const { title, reason, startedAt, alertUrl, digest } = message;
  if (digest !== undefined) {
    const alerts = digest.map(toPlainEvent);
    return { alertType: "ALERT_DIGEST", title, reason, startedAt, alertUrl, alerts };
  }
  const { idempotencyKey: _key, kind, facts = [], ...rest }: StoredMessage = message;
  const figures = Object.fromEntries(facts.map(({ name, value }) => [name, value]));
  return { alertType: kind, ...rest, ...figures };
}

/**
 * Adds the query parameters to the URL. An invalid URL is returned unchanged; the outbound guard
 * rejects it later.
 */
function addQuery(config: Config): string {
  const url = URL.parse(config.url);
  const parameters = config.queryParameters ?? [];
  if (url === null || parameters.length === 0) return config.url;
  for (const { key, value } of parameters) url.searchParams.append(key, value);
  return url.href;
}
