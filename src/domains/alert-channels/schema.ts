import { type TProperties, Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import type { JsonSchema } from "../../platform/http/openapi/json-schema.ts";
import {
  CreatedAt,
  Described,
  exampleId,
  Guid,
  maxInteger,
  OneOf,
  OrNull,
  PageQuery,
  RowId,
  UpdatedAt,
} from "../../platform/http/schema.ts";
import type { AlertChannel, Subscription } from "./alert-channel.ts";
import { maxExcerptLength } from "./answer-excerpt.ts";
import type { ChannelInput } from "./channel-input.ts";
import type { ChannelTest } from "./channel-test.ts";
import { maskConfig } from "./config-secrets.ts";
import { type ChannelType, channelKinds } from "./kinds/index.ts";

const channelTypes = Object.keys(channelKinds) as ChannelType[];
const Config = Type.Object({}, { additionalProperties: true });

export const ChannelParams = Type.Object({ id: Described(RowId, "The channel's id.") });
export const ChannelQuery = Type.Object(PageQuery);

/** Which alerts a channel receives. */
const wanted = {
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
    description: "Send an alert when a certificate that a check sees is about to expire.",
  }),
  sslExpiryThreshold: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 30,
    description: "How many days before a certificate expires.",
  }),
  autoSubscribe: Type.Boolean({
    default: false,
    description:
      "Subscribe every check and group that is created from now on, unless it names the " +
      "channel and says otherwise.",
  }),
  digest: Type.Boolean({
    default: true,
    description:
      "Send the messages of a storm as one: from the fourth message within a minute on. " +
      "PagerDuty, Opsgenie and webhooks with a template always get one message per alert.",
  }),
};

function nameKind(type: string, name: string): string {
  return `${type.charAt(0)}${type.slice(1).toLowerCase()}${name}`;
}

/** One shape for each kind, told apart by `type`. */
function byKind(name: string, fields: TProperties): JsonSchema {
  const kinds = channelTypes.map((type) => {
    const { ConfigSchema } = channelKinds[type];
    const config = Described(ConfigSchema, "Where to send, and how.");
    const tag = Described(Type.Literal(type), "The kind of channel.");
    return Type.Object({ type: tag, config, ...fields }, { title: nameKind(type, name) });
  });
  return { title: name, description: "Where alerts are sent.", oneOf: kinds as JsonSchema[] };
}

/** The action validates the configuration, because it knows the stored secrets. */
export const ChannelBody = Type.Object(
  {
    type: Type.Enum(channelTypes, { description: "The kind of channel.", type: "string" }),
    config: Described(Config, "Where to send, and how."),
    ...wanted,
  },
  { "x-shown": byKind("AlertChannelInput", wanted) },
);
export type ChannelBody = Type.Static<typeof ChannelBody>;

const channelId = {
  id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxInteger,
      description: "A channel whose secrets the masks in `config` stand for.",
      examples: [7],
    }),
  ),
};
export const ChannelTestBody = Type.Object(
  { ...ChannelBody.properties, ...channelId },
  { "x-shown": byKind("AlertChannelTestInput", { ...wanted, ...channelId }) },
);

export const SubscriptionBody = Type.Object(
  {
    checkId: Described(
      Type.Optional(OrNull(Guid)),
      "The check that sends here. Name either a check or a group.",
      exampleId,
    ),
    groupId: Described(Type.Optional(OrNull(RowId)), "The group whose checks send here."),
    activated: Type.Boolean({ description: "False: nothing is sent.", examples: [true] }),
  },
  { title: "AlertChannelSubscriptionInput" },
);

export const SubscriptionSchema = Type.Object(
  {
    id: Described(Type.Integer(), "The subscription's id.", 12),
    checkId: Described(OrNull(Guid), "The check that sends here; null for a group."),
    groupId: Described(
      OrNull(Type.Integer()),
      "The group that sends here; null for a check.",
      null,
    ),
    activated: Type.Boolean({ description: "False: nothing is sent.", examples: [true] }),
  },
  { title: "AlertChannelSubscription" },
);

const shown = {
  id: Described(Type.Integer(), "The channel's id.", 7),
  subscriptions: Type.Array(SubscriptionSchema, {
    description: "The checks and groups that send here.",
  }),
  ...wanted,
  problem: Described(
    OrNull(Type.String()),
    "Why nothing can be sent through it; null while it can.",
    null,
  ),
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
    config: Described(Config, "Where to send, and how."),
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
          description: "The JSON Schema of `config`, with words for each field.",
        },
      ),
      secretFields: Type.Array(Type.String(), {
        description:
          "The fields that are sealed and masked; `headers[].value` is the value of each header.",
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
    outcome: Described(OneOf(["sent", "failed"]), "Whether the receiver accepted it."),
    statusCode: Described(
      OrNull(Type.Integer()),
      "The receiver's status; null where there was none, as with email.",
      200,
    ),
    reason: Described(OrNull(Type.String()), "Why it failed; null when it was sent.", null),
    responseBody: Described(
      OrNull(Type.String()),
      `How the receiver's answer begins, at most ${maxExcerptLength} characters, without the ` +
        "channel's secrets; null where there was none.",
      "ok",
    ),
    durationMs: Type.Integer({
      description: "How long the receiver took, in milliseconds.",
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
    problem: channel.problem ?? null,
    created_at: formatDateTime(channel.createdAt),
    updated_at: channel.updatedAt && formatDateTime(channel.updatedAt),
  };
}

export function fromWireChannel(body: ChannelBody): ChannelInput {
  const { type, config, sendRecovery, sendFailure, sendDegraded, autoSubscribe } = body;
  const { sslExpiry, sslExpiryThreshold, digest } = body;
  return {
    type: type as ChannelType,
    config: config as ChannelInput["config"],
    sendRecovery,
    sendFailure,
    sendDegraded,
    sslExpiry,
    sslExpiryThreshold,
    autoSubscribe,
    digest,
  };
}

export function toWireTest({ outcome, responseBody, durationMs }: ChannelTest) {
  return {
    outcome: outcome.kind,
    statusCode: outcome.statusCode,
    reason: outcome.kind === "failed" ? outcome.reason : null,
    responseBody,
    durationMs,
  };
}
