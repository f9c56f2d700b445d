import { type TProperties, Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import type { JsonSchema } from "../../platform/http/openapi/json-schema.ts";
import {
  CreatedAt,
  Described,
  Guid,
  maxInteger,
  ObjectOrNull,
  OneOf,
  OrNull,
  PageQuery,
  RowId,
  UpdatedAt,
} from "../../platform/http/schema.ts";
import { assertSchema } from "../../platform/http/validation.ts";
import { fromWireHours, weekHoursFields } from "../../platform/http/week-hours-schema.ts";
import {
  type AlertChannel,
  type ChannelInput,
  keepMaskedSecrets,
  type Subscription,
} from "./alert-channel.ts";
import { type ChannelTest, maxExcerptLength } from "./channel-test.ts";
import { maskConfig } from "./config-secrets.ts";
import { type ChannelType, channelKinds } from "./kinds/index.ts";
import { type QuietHours, quietModes } from "./quiet-hours.ts";

const channelTypes = Object.keys(channelKinds) as ChannelType[];
const Config = Type.Object({}, { additionalProperties: true });

export const ChannelParams = Type.Object({ id: Described(RowId, "The channel's id.") });
export const ChannelQuery = Type.Object(PageQuery);

/** Options that decide which alerts a channel receives. */
const alertOptions = {
  sendRecovery: Type.Boolean({
    default: true,
    description: "Send an alert when a check recovers.",
  }),
  sendFailure: Type.Boolean({ default: true, description: "Send an alert when a check fails." }),
  sendDegraded: Type.Boolean({
    default: false,
    description: "Send an alert when a check is degraded.",
  }),
  sslExpiry: Type.Boolean({
    default: false,
    description: "Send an alert when a certificate seen by a check is about to expire.",
  }),
  sslExpiryThreshold: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 30,
    description: "Days before a certificate's expiry at which the alert is sent.",
  }),
  autoSubscribe: Type.Boolean({
    default: false,
    description:
      "Subscribe every check and group created from now on, unless its own subscription " +
      "disables this channel.",
  }),
  digest: Type.Boolean({
    default: true,
    description:
      "Combine the fourth and later messages within a minute into one message. " +
      "Incident services such as PagerDuty and webhooks with a template always receive one " +
      "message per alert.",
  }),
};

const QuietHoursSchema = Type.Object(
  {
    ...weekHoursFields("When the channel is quiet."),
    mode: Described(
      OneOf(quietModes),
      "HOLD: alerts are sent as one digest at the end. REROUTE: they are sent to another channel.",
    ),
    alertChannelId: Described(
      Type.Optional(OrNull(RowId)),
      "For REROUTE: the other channel. `null` if it was deleted; then alerts are sent as usual.",
      null,
    ),
  },
  { title: "QuietHours" },
);

/**
 * Quiet hours in a request. Some clients do not know this field and omit it, so the stored quiet
 * hours are kept if the field is missing.
 */
const quietOption = {
  quietHours: Type.Optional(
    Described(
      ObjectOrNull(QuietHoursSchema),
      "Times at which alerts are held or sent elsewhere; `null` for none. Absent: unchanged.",
    ),
  ),
};

function nameKind(type: string, name: string): string {
  return `${type.charAt(0)}${type.slice(1).toLowerCase()}${name}`;
}

/** Creates a union schema with one variant per channel kind, discriminated by `type`. */
function byKind(name: string, fields: TProperties): JsonSchema {
  const kinds = channelTypes.map((type) => {
    const { ConfigSchema } = channelKinds[type];
    const config = Described(ConfigSchema, "Settings of the destination.");
    const tag = Described(Type.Literal(type), "The kind of channel.");
    return Type.Object({ type: tag, config, ...fields }, { title: nameKind(type, name) });
  });
  return { title: name, description: "A destination of alerts.", oneOf: kinds as JsonSchema[] };
}

/**
 * Request body of a channel. `config` is validated later, after its masks have been replaced with
 * the stored secrets.
 */
export const ChannelBody = Type.Object(
  {
    type: Type.Enum(channelTypes, { description: "The kind of channel.", type: "string" }),
    config: Described(Config, "Settings of the destination."),
    ...alertOptions,
    ...quietOption,
  },
  { "x-shown": byKind("AlertChannelInput", { ...alertOptions, ...quietOption }) },
);
export type ChannelBody = Type.Static<typeof ChannelBody>;

const channelId = {
  id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxInteger,
      description: "Id of the channel whose secrets the masks in `config` refer to.",
      examples: [7],
    }),
  ),
};
export const ChannelTestBody = Type.Object(
  { ...ChannelBody.properties, ...channelId },
  { "x-shown": byKind("AlertChannelTestInput", { ...alertOptions, ...channelId }) },
);

export const SubscriptionSchema = Type.Object(
  {
    id: Described(Type.Integer(), "The subscription's id.", 12),
    checkId: Described(OrNull(Guid), "The subscribed check; `null` for a group."),
    groupId: Described(OrNull(Type.Integer()), "The subscribed group; `null` for a check.", null),
    activated: Type.Boolean({ description: "If false, nothing is sent.", examples: [true] }),
  },
  { title: "AlertChannelSubscription" },
);

const shown = {
  id: Described(Type.Integer(), "The channel's id.", 7),
  subscriptions: Type.Array(SubscriptionSchema, {
    description: "The subscribed checks and groups.",
  }),
  ...alertOptions,
  quietHours: Described(
    ObjectOrNull(QuietHoursSchema),
    "Times at which alerts are held or sent elsewhere; `null` for none.",
  ),
  problem: Described(OrNull(Type.String()), "Why the channel cannot send; `null` if it can.", null),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
};

const discriminator = {
  propertyName: "type",
  mapping: Object.fromEntries(
    channelTypes.map((type) => [type, `#/components/schemas/${nameKind(type, "AlertChannel")}`]),
  ),
};

export const ChannelSchema = Type.Object(
  {
    type: Type.String({ description: "The kind of channel." }),
    config: Described(Config, "Settings of the destination."),
    ...shown,
  },
  { "x-shown": { ...byKind("AlertChannel", shown), discriminator } },
);
export const ChannelList = Type.Array(ChannelSchema);

export const ChannelKindList = Type.Array(
  Type.Object(
    {
      type: Type.Enum(channelTypes, { description: "The kind of channel.", type: "string" }),
      configSchema: Type.Object(
        {},
        {
          additionalProperties: true,
          description: "The JSON Schema of `config`, with a description of each field.",
        },
      ),
      secretFields: Type.Array(Type.String(), {
        description: "Encrypted and masked fields; `headers[].value` is the value of each header.",
        examples: [["webhookSecret", "headers[].value"]],
      }),
    },
    { title: "AlertChannelKind" },
  ),
);

export function listWireKinds() {
  return channelTypes.map((type) => {
    const { ConfigSchema, secretFields } = channelKinds[type];
    return { type, configSchema: { ...ConfigSchema }, secretFields: [...secretFields] };
  });
}

export const TestOutcome = Type.Object(
  {
    outcome: Described(OneOf(["sent", "failed"]), "Whether the recipient accepted the message."),
    statusCode: Described(
      OrNull(Type.Integer()),
      "HTTP status of the response; `null` if there is none, as with email.",
      200,
    ),
    reason: Described(OrNull(Type.String()), "Why it failed; `null` if it was sent.", null),
    recipient: Described(
      OrNull(Type.String()),
      "The member who received it, and by which methods; `null` if the channel pages nobody.",
      "Anna: ntfy anna at ntfy.sh",
    ),
    responseBody: Described(
      OrNull(Type.String()),
      `Start of the response, at most ${maxExcerptLength} characters, without the ` +
        "channel's secrets; `null` if there was none.",
      "ok",
    ),
    durationMs: Type.Integer({
      description: "Response time of the recipient in milliseconds.",
      examples: [120],
    }),
  },
  { title: "AlertChannelTest" },
);

export function toWireSubscription({ id, checkId, groupId, activated }: Subscription) {
  return { id, checkId, groupId, activated };
}

export function toWireChannel(channel: AlertChannel, subscriptions: readonly Subscription[]) {
  const kind = channelKinds[channel.type as ChannelType];
  return {
    id: channel.id,
    type: channel.type,
    config: { ...maskConfig(kind, channel.config) },
    subscriptions: subscriptions.map(toWireSubscription),
    sendRecovery: channel.sendRecovery,
    sendFailure: channel.sendFailure,
    sendDegraded: channel.sendDegraded,
    sslExpiry: channel.sslExpiry,
    sslExpiryThreshold: channel.sslExpiryThreshold,
    autoSubscribe: channel.autoSubscribe,
    digest: channel.digest,
    quietHours: channel.quietHours,
    problem: channel.problem ?? null,
    created_at: formatDateTime(channel.createdAt),
    updated_at: channel.updatedAt && formatDateTime(channel.updatedAt),
  };
}

/** Copies each field of the quiet hours by name, so that unknown fields are not stored. */
function fromWireQuiet(given: NonNullable<ChannelBody["quietHours"]> | null): QuietHours | null {
  if (given === null) return null;
  const { mode, alertChannelId = null } = given;
  return {
    ...fromWireHours(given),
    mode,
    alertChannelId: mode === "REROUTE" ? alertChannelId : null,
  };
}

/**
 * Converts a request body to channel settings. `before` is the stored channel, if there is one. If
 * both have the same type, the stored secrets replace the masks in the body.
 */
export function fromWireChannel(
  body: ChannelBody,
  before: Parameters<typeof keepMaskedSecrets>[0] | null = null,
): ChannelInput {
  const { type, config, sendRecovery, sendFailure, sendDegraded, autoSubscribe } = body;
  const { sslExpiry, sslExpiryThreshold, digest } = body;
  const input = {
    type: type as ChannelType,
    config: config as ChannelInput["config"],
    sendRecovery,
    sendFailure,
    sendDegraded,
    sslExpiry,
    sslExpiryThreshold,
    autoSubscribe,
    digest,
    ...(body.quietHours !== undefined && { quietHours: fromWireQuiet(body.quietHours) }),
  };
  return before === null ? input : keepMaskedSecrets(before, input);
}

/**
 * Validates a body with the schema of the API, and converts the body to channel settings. `before`
 * is the stored channel, if there is one. If both have the same type, the stored secrets replace
 * the masks in the body.
 */
export function parseChannel(
  body: object,
  before: Parameters<typeof keepMaskedSecrets>[0] | null = null,
): ChannelInput {
  const completed = structuredClone(body) as ChannelBody;
  assertSchema(ChannelBody, completed);
  return fromWireChannel(completed, before);
}

export function toWireTest({ outcome, responseBody, durationMs }: ChannelTest) {
  return {
    outcome: outcome.kind,
    statusCode: outcome.statusCode,
    reason: outcome.kind === "failed" ? outcome.reason : null,
    recipient: (outcome.kind === "sent" && outcome.recipient) || null,
    responseBody,
    durationMs,
  };
}
