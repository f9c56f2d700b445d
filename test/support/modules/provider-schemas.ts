/**
 * The parts of the providers' published request formats that channels use, in our own words. A field
 * that a provider does not define is a fault.
 */
import assert from "node:assert/strict";
import { type TSchema, Type } from "typebox";
import { Check, Errors } from "typebox/value";

const closed = { additionalProperties: false } as const;
const Texts = Type.Record(Type.String({ pattern: "^[a-zA-Z_][a-zA-Z0-9_]*$" }), Type.String());
const Url = Type.String({ pattern: "^https?://" });
const Instant = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$" });

/** `postableAlerts` of the OpenAPI document of Alertmanager's API v2. */
export const AlertmanagerAlerts = Type.Array(
  Type.Object(
    {
      labels: Texts,
      annotations: Type.Optional(Texts),
      startsAt: Type.Optional(Instant),
      endsAt: Type.Optional(Instant),
      generatorURL: Type.Optional(Url),
    },
    closed,
  ),
  { minItems: 1 },
);

/** "Create alert" of the integration events API of Jira Service Management, and of Opsgenie. */
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

/** "Close alert" of the same APIs. */
export const GenieClosing = Type.Object(
  {
    source: Type.Optional(Type.String({ maxLength: 100 })),
    user: Type.Optional(Type.String({ maxLength: 100 })),
    note: Type.Optional(Type.String({ maxLength: 25_000 })),
  },
  closed,
);

/** Body of `POST /v2/alert_events/http/{alert_source_config_id}` of incident.io. */
export const IncidentIoEvent = Type.Object(
  {
    title: Type.String({ minLength: 1 }),
    status: Type.Enum(["firing", "resolved"]),
    deduplication_key: Type.Optional(Type.String({ minLength: 1 })),
    description: Type.Optional(Type.String()),
    source_url: Type.Optional(Url),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
);

/** Body of `POST /v2/send` of the signal-cli REST API. */
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

/** Form of `POST …/Calls.json` of Twilio. Instructions are sent with the call. */
export const TwilioCall = Type.Object(
  { To: Phone, From: Phone, Twiml: Type.String({ maxLength: 4_000 }) },
  closed,
);

const MessageBody = Type.String({ minLength: 1, maxLength: 1_600 });

/** Form of `POST …/Messages.json` of Twilio: either a sender or a messaging service. */
export const TwilioMessage = Type.Union([
  Type.Object({ To: Phone, From: Type.String(), Body: MessageBody }, closed),
  Type.Object({ To: Phone, MessagingServiceSid: Type.String(), Body: MessageBody }, closed),
]);

export function assertMatches(schema: TSchema, body: unknown): void {
  const [fault] = Errors(schema, body);
  assert.ok(Check(schema, body), `${fault?.instancePath} ${fault?.message}`);
}
