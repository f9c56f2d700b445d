import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import type { SendOutcome } from "../../platform/deliveries/send-outcome.ts";
import { DateTime, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { AlertChannel, Subscription } from "./alert-channel.ts";
import type { ChannelWish } from "./channel-wish.ts";
import { maskConfig } from "./config-secrets.ts";
import { type ChannelType, channelKinds } from "./kinds/index.ts";

const channelTypes = Object.keys(channelKinds) as ChannelType[];
const Config = Type.Object({}, { additionalProperties: true });

export const ChannelParams = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
});
export const ChannelQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  page: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 1 }),
});

export const ChannelBody = Type.Object({
  type: Type.Enum(channelTypes, { type: "string" }),
  config: Config,
  sendRecovery: Type.Boolean({ default: true }),
  sendFailure: Type.Boolean({ default: true }),
  sendDegraded: Type.Boolean({ default: false }),
  autoSubscribe: Type.Boolean({ default: false }),
});
export type ChannelBody = Type.Static<typeof ChannelBody>;

export const SubscriptionBody = Type.Object({
  checkId: Type.Optional(OrNull(Guid)),
  groupId: Type.Optional(OrNull(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }))),
  activated: Type.Boolean(),
});

export const SubscriptionSchema = Type.Object({
  id: Type.Integer(),
  checkId: OrNull(Guid),
  groupId: OrNull(Type.Integer()),
  activated: Type.Boolean(),
});

export const ChannelSchema = Type.Object({
  id: Type.Integer(),
  type: Type.String(),
  config: Config,
  subscriptions: Type.Array(SubscriptionSchema),
  sendRecovery: Type.Boolean(),
  sendFailure: Type.Boolean(),
  sendDegraded: Type.Boolean(),
  sslExpiry: Type.Boolean(),
  sslExpiryThreshold: Type.Integer(),
  autoSubscribe: Type.Boolean(),
  created_at: DateTime,
  updated_at: OrNull(DateTime),
});
export const ChannelList = Type.Array(ChannelSchema);

export const TestOutcome = Type.Object({
  outcome: OneOf(["sent", "failed"]),
  statusCode: OrNull(Type.Integer()),
  reason: OrNull(Type.String()),
});

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
    sslExpiry: false,
    sslExpiryThreshold: 30,
    autoSubscribe: channel.autoSubscribe,
    created_at: formatDateTime(channel.createdAt),
    updated_at: channel.updatedAt && formatDateTime(channel.updatedAt),
  };
}

export function fromWireChannel(body: ChannelBody): ChannelWish {
  const { type, config, sendRecovery, sendFailure, sendDegraded, autoSubscribe } = body;
  return {
    type: type as ChannelType,
    config: config as ChannelWish["config"],
    sendRecovery,
    sendFailure,
    sendDegraded,
    autoSubscribe,
  };
}

export function toWireOutcome(outcome: SendOutcome) {
  return {
    outcome: outcome.kind,
    statusCode: outcome.statusCode,
    reason: outcome.kind === "failed" ? outcome.reason : null,
  };
}
