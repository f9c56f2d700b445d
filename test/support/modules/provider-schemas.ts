/**
 * Schemas of the requests that providers accept or send, written in our own words and limited to
 * the parts that channels use. A field that a provider does not define is an error. Each comment
 * names the published document.
 */
import assert from "node:assert/strict";
import { XMLValidator } from "fast-xml-parser";
import { type TSchema, Type } from "typebox";
import { Check, Errors } from "typebox/value";

const closed = { additionalProperties: false } as const;
const Texts = Type.Record(Type.String({ pattern: "^[a-zA-Z_][a-zA-Z0-9_]*$" }), Type.String());
const Url = Type.String({ pattern: "^https?://" });
const Instant = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$" });

/**
 * `postableAlerts` of `api/v2/openapi.yaml` in prometheus/alertmanager, with the names of labels
 * that every version accepts.
 */
export const AlertmanagerAlerts = Type.Array(
  Type.Object(
    {
      labels: { ...Texts, minProperties: 1 },
      annotations: Type.Optional(Texts),
      startsAt: Type.Optional(Instant),
      endsAt: Type.Optional(Instant),
      generatorURL: Type.Optional(Url),
    },
    closed,
  ),
  { minItems: 1 },
);

const AlertStatus = Type.Enum(["firing", "resolved"]);
const Labels = Type.Record(Type.String(), Type.String());
/** Time as written by Go, with up to nine decimal places and the machine's time zone. */
const GoInstant = Type.String({
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)$",
});

/**
 * What a webhook receiver of Alertmanager sends: `Message` of `notify/webhook/webhook.go` with `Data`
 * of `template/template.go` in prometheus/alertmanager.
 */
export const AlertmanagerNotification = Type.Object(
  {
    version: Type.Literal("4"),
    groupKey: Type.String(),
    truncatedAlerts: Type.Integer({ minimum: 0 }),
    receiver: Type.String(),
    status: AlertStatus,
    alerts: Type.Array(
      Type.Object(
        {
          status: AlertStatus,
          labels: Labels,
          annotations: Labels,
          startsAt: GoInstant,
          endsAt: GoInstant,
          generatorURL: Type.String(),
          fingerprint: Type.String({ pattern: "^[0-9a-f]{16}$" }),
        },
        closed,
      ),
    ),
    groupLabels: Labels,
    commonLabels: Labels,
    commonAnnotations: Labels,
    externalURL: Type.String(),
  },
  closed,
);

/**
 * `CreateAlertPayload` of `definitions/alert.yaml` in opsgenie/opsgenie-oas, with the limits of
 * "Alerts and alert fields" in Opsgenie's documentation. "Create alert" of the integration events
 * API (jira/service-desk-ops/rest/v1) of Jira Service Management has the same fields.
 */
export const GenieAlert = Type.Object(
  {
    message: Type.String({ minLength: 1, maxLength: 130 }),
    alias: Type.Optional(Type.String({ maxLength: 512 })),
    description: Type.Optional(Type.String({ maxLength: 15_000 })),
    tags: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 20 })),
    details: Type.Optional(Type.Record(Type.String(), Type.String())),
    entity: Type.Optional(Type.String({ maxLength: 512 })),
    source: Type.Optional(Type.String({ maxLength: 100 })),
    priority: Type.Optional(Type.Enum(["P1", "P2", "P3", "P4", "P5"])),
  },
  closed,
);

/**
 * `CloseAlertPayload` of `definitions/alert.yaml` in opsgenie/opsgenie-oas, and "Close alert" of
 * the integration events API of Jira Service Management.
 */
export const GenieClosing = Type.Object(
  {
    source: Type.Optional(Type.String({ maxLength: 100 })),
    user: Type.Optional(Type.String({ maxLength: 100 })),
    note: Type.Optional(Type.String({ maxLength: 25_000 })),
  },
  closed,
);

/**
 * "CreateHTTP" of Alert Events V2 in the API reference of incident.io. New sources require the
 * deduplication key.
 */
export const IncidentIoEvent = Type.Object(
  {
    title: Type.String({ minLength: 1 }),
    status: Type.Enum(["firing", "resolved"]),
    deduplication_key: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    source_url: Type.Optional(Url),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
);

/** `api.SendMessageV2` of `src/docs/swagger.json` in bbernhard/signal-cli-rest-api. */
export const SignalMessage = Type.Object(
  {
    number: Type.String({ pattern: "^\\+[0-9]+$" }),
    recipients: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    message: Type.String({ minLength: 1 }),
    text_mode: Type.Optional(Type.Enum(["normal", "styled"])),
  },
  closed,
);

const Phone = Type.String({ pattern: "^\\+[1-9][0-9]{1,14}$" });

/**
 * "Create a Call resource" of Twilio's API reference (`CreateCall` of twilio_api_v2010.json in
 * twilio/twilio-oai). Instructions are sent with the call.
 */
export const TwilioCall = Type.Object(
  { To: Phone, From: Phone, Twiml: Type.String({ maxLength: 4_000 }) },
  closed,
);

const MessageBody = Type.String({ minLength: 1, maxLength: 1_600 });

/**
 * "Create a Message resource" of Twilio's API reference, with either a sender or a messaging
 * service.
 */
export const TwilioMessage = Type.Union([
  Type.Object({ To: Phone, From: Type.String(), Body: MessageBody }, closed),
  Type.Object({ To: Phone, MessagingServiceSid: Type.String(), Body: MessageBody }, closed),
]);

const eventKey = {
  routing_key: Type.String({ minLength: 1 }),
  dedup_key: Type.String({ minLength: 1, maxLength: 255 }),
};

/** "Send an Alert Event" of `docs/events-API-v2` in PagerDuty/developer-docs. */
export const PagerDutyEvent = Type.Union([
  Type.Object({ ...eventKey, event_action: Type.Enum(["acknowledge", "resolve"]) }, closed),
  Type.Object(
    {
      ...eventKey,
      event_action: Type.Literal("trigger"),
      client: Type.Optional(Type.String()),
      client_url: Type.Optional(Url),
      links: Type.Optional(
        Type.Array(Type.Object({ href: Url, text: Type.Optional(Type.String()) }, closed)),
      ),
      payload: Type.Object(
        {
          summary: Type.String({ minLength: 1, maxLength: 1_024 }),
          source: Type.String({ minLength: 1 }),
          severity: Type.Enum(["critical", "error", "warning", "info"]),
          timestamp: Type.Optional(Instant),
          component: Type.Optional(Type.String()),
          group: Type.Optional(Type.String()),
          class: Type.Optional(Type.String()),
          custom_details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        },
        closed,
      ),
    },
    closed,
  ),
]);

/** Verbs of TwiML Voice with the attributes that Twilio's reference lists for each verb. */
const twimlVerbs: Readonly<Record<string, readonly string[]>> = {
  Response: [],
  Say: ["voice", "language", "loop"],
  Gather: ["input", "action", "method", "timeout", "finishOnKey", "numDigits", "language"],
};

/**
 * Fails if the text is not well-formed XML or contains verbs or attributes that Twilio does not
 * publish.
 */
export function assertTwiml(text: string): void {
  assert.equal(XMLValidator.validate(text), true, text);
  assert.match(text, /^<\?xml version="1\.0" encoding="UTF-8"\?><Response>.*<\/Response>$/s);
  for (const [, verb = "", attributes = ""] of text.matchAll(/<(\w+)((?: \w+="[^"<]*")*)>/g)) {
    assert.ok(twimlVerbs[verb], verb);
    for (const [, attribute = ""] of attributes.matchAll(/ (\w+)=/g)) {
      assert.ok(twimlVerbs[verb].includes(attribute), `${verb} ${attribute}`);
    }
  }
}

export function assertMatches(schema: TSchema, body: unknown): void {
  const [fault] = Errors(schema, body);
  assert.ok(Check(schema, body), `${fault?.instancePath} ${fault?.message}`);
}
