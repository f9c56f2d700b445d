import { Type } from "typebox";
import {
  IcmpRequestBody,
  IcmpRequestChange,
  IcmpRequestSchema,
  mergeIcmpRequest,
} from "../../kinds/icmp/request.ts";
import { formatDate, formatDateTime } from "../../platform/dates.ts";
import {
  DateTime,
  Described,
  Guid,
  Name,
  OneOf,
  OrNull,
  PageQuery,
} from "../../platform/http/schema.ts";
import type { AlertChannel } from "../alert-channels/index.ts";
import { defaultAlertSettings, tidyTrigger } from "./alert-settings.ts";
import type { CheckSettings } from "./check.ts";
import { common, privateFields, Script } from "./check-fields.ts";
import { findOffsetFault } from "./frequency.ts";
import type { SubscribedCheck } from "./subscribed-channels.ts";

const Heartbeat = Type.Object({}, { additionalProperties: true });

export const IcmpCheckBody = Type.Object(
  {
    name: Described(Name, "Its name.", "Router"),
    request: Described(IcmpRequestBody, "What is pinged, and how."),
    ...common,
    ...privateFields,
    heartbeat: Described(
      Type.Optional(OrNull(Heartbeat)),
      "Stored for clients that send it; means nothing for a ping.",
    ),
    script: Described(
      Type.Optional(Script),
      "Stored for clients that send it; means nothing for a ping.",
    ),
  },
  { title: "IcmpCheckInput" },
);

export const IcmpCheckChange = Type.Object(
  {
    name: Described(Type.Optional(Name), "Its name.", "Router"),
    request: Described(Type.Optional(IcmpRequestChange), "What is pinged, and how."),
    ...common,
    ...privateFields,
    heartbeat: Described(Heartbeat, "Must be sent, and means nothing for a ping.", {}),
    script: Type.String({
      description: "Must be sent, and means nothing for a ping.",
      examples: [""],
      maxLength: 500_000,
    }),
  },
  { title: "IcmpCheckChange" },
);

/** What a creation and an update have in common, once either has passed its own schema. */
export type IcmpCheckWish = Omit<
  Partial<Type.Static<typeof IcmpCheckChange>>,
  "heartbeat" | "script"
> &
  Pick<Type.Static<typeof IcmpCheckBody>, "heartbeat" | "script">;

export const CheckParams = Type.Object({ id: Described(Guid, "The check's id.") });
export const AutoAssignQuery = Type.Object({
  autoAssignAlerts: Type.Boolean({
    description: "Subscribe the check to every alert channel. Counts when it is created.",
    default: true,
  }),
});
export const CheckQuery = Type.Object({
  ...PageQuery,
  tag: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      description: "Only checks with all of these tags; may be repeated.",
      maxItems: 20,
    }),
  ),
  checkType: Type.Optional(
    Type.String({ description: "Only checks of this kind, such as ICMP.", maxLength: 32 }),
  ),
  search: Type.Optional(
    Type.String({
      description: "Only those whose name contains this text.",
      minLength: 1,
      maxLength: 255,
    }),
  ),
  status: Described(
    Type.Optional(OneOf(["passing", "failing", "degraded"])),
    "Only checks that have this status now.",
  ),
  applyGroupSettings: Type.Boolean({
    description: "Show what its group decides in place of its own settings.",
    default: false,
  }),
});
export const CheckReadQuery = Type.Object({
  applyGroupSettings: Type.Boolean({
    description: "Show what its group decides in place of its own settings.",
    default: false,
  }),
});

const KeyValue = Type.Object({
  key: Type.String({ description: "The name.", examples: ["token"] }),
  value: Type.String({ description: "The value.", examples: ["••••"] }),
  locked: Type.Boolean({ description: "True: the value is never shown again." }),
});

export const AlertChannelsSchema = Type.Object({
  email: Type.Array(
    Type.Object({
      address: Type.String({ description: "The email address.", examples: ["ops@example.com"] }),
    }),
    { description: "The mailboxes among them." },
  ),
  webhook: Type.Array(
    Type.Object({
      url: Type.String({ description: "The address.", examples: ["https://hooks.example.com/x1"] }),
      name: Type.String({ description: "Its name.", examples: ["Pager"] }),
      method: Type.String({ description: "The HTTP method.", examples: ["POST"] }),
      headers: Type.Array(KeyValue, { description: "Headers of the request." }),
      queryParameters: Type.Array(KeyValue, { description: "Parameters added to the address." }),
    }),
    { description: "The webhooks among them." },
  ),
  slack: Type.Array(
    Type.Object({
      url: Type.String({ description: "The address.", examples: ["https://hooks.example.com/x1"] }),
    }),
    { description: "The Slack channels among them." },
  ),
  sms: Type.Array(
    Type.Object({
      number: Type.String({ description: "The phone number.", examples: ["+31 6 12 34 56 78"] }),
      name: Type.String({ description: "Whose phone it is.", examples: ["On call"] }),
    }),
    { description: "The phones among them." },
  ),
});

export const IcmpCheckSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    checkType: Described(OneOf(["ICMP"]), "The kind of check."),
    name: Type.String({ description: "Its name.", examples: ["Router"] }),
    ...Type.Required(Type.Object(common)).properties,
    frequencyOffset: common.frequencyOffset,
    request: Described(IcmpRequestSchema, "What is pinged, and how."),
    created_at: Type.String({ description: "The day it was created, in UTC.", format: "date" }),
    updated_at: Described(OrNull(DateTime), "When it was last changed; null: never."),
    alertChannels: Described(
      AlertChannelsSchema,
      "The channels it alerts through, of four kinds; all are in `alertChannelSubscriptions`.",
    ),
  },
  { title: "IcmpCheck" },
);
export const CheckList = Type.Array(IcmpCheckSchema);

const defaults: CheckSettings = {
  name: "",
  activated: true,
  muted: false,
  doubleCheck: true,
  shouldFail: false,
  locations: null,
  tags: [],
  alertSettings: defaultAlertSettings,
  useGlobalAlertSettings: true,
  groupId: null,
  groupOrder: null,
  runtimeId: null,
  alertChannelSubscriptions: [],
  retryStrategy: null,
  triggerIncident: null,
  runParallel: false,
  frequency: 10,
  frequencyOffset: null,
  degradedPacketLossThreshold: 10,
  maxPacketLossThreshold: 20,
  request: mergeIcmpRequest(null, {}),
  privateLocations: [],
  degradedResponseTime: null,
  maxResponseTime: null,
};

function given<Value>(value: Value | undefined, before: Value): Value {
  return value === undefined ? before : value;
}

/** An absent field keeps its value; a stored offset that no longer fits the frequency goes. */
export function mergeCheckSettings(
  before: CheckSettings | null,
  change: IcmpCheckWish,
): CheckSettings {
  const stored = before ?? defaults;
  const frequency = change.frequency ?? stored.frequency;
  const stillFits = findOffsetFault(frequency, stored.frequencyOffset) === null;
  const places = change.privateLocations;
  return {
    name: change.name ?? stored.name,
    activated: change.activated ?? stored.activated,
    muted: change.muted ?? stored.muted,
    doubleCheck: change.doubleCheck ?? stored.doubleCheck,
    shouldFail: change.shouldFail ?? stored.shouldFail,
    locations: given(change.locations, stored.locations),
    tags: change.tags ?? stored.tags,
    alertSettings: change.alertSettings ?? stored.alertSettings,
    useGlobalAlertSettings: change.useGlobalAlertSettings ?? stored.useGlobalAlertSettings,
    groupId: given(change.groupId, stored.groupId),
    groupOrder: given(change.groupOrder, stored.groupOrder),
    runtimeId: given(change.runtimeId as string | null | undefined, stored.runtimeId),
    alertChannelSubscriptions: change.alertChannelSubscriptions ?? stored.alertChannelSubscriptions,
    retryStrategy: given(change.retryStrategy, stored.retryStrategy),
    triggerIncident: given(
      change.triggerIncident && tidyTrigger(change.triggerIncident),
      stored.triggerIncident,
    ),
    runParallel: change.runParallel ?? stored.runParallel,
    frequency,
    frequencyOffset: change.frequencyOffset ?? (stillFits ? stored.frequencyOffset : null),
    degradedPacketLossThreshold:
      change.degradedPacketLossThreshold ?? stored.degradedPacketLossThreshold,
    maxPacketLossThreshold: change.maxPacketLossThreshold ?? stored.maxPacketLossThreshold,
    request: mergeIcmpRequest(before?.request ?? null, change.request ?? {}),
    privateLocations:
      places === undefined ? stored.privateLocations : places === null ? [] : [places].flat(),
    degradedResponseTime: given(change.degradedResponseTime, stored.degradedResponseTime),
    maxResponseTime: given(change.maxResponseTime, stored.maxResponseTime),
  };
}

export function toWireCheck(check: SubscribedCheck) {
  const {
    privateLocations: _places,
    degradedResponseTime: _degraded,
    maxResponseTime: _most,
    frequencyOffset,
    ...shown
  } = check.settings;
  return {
    id: check.id,
    checkType: "ICMP" as const,
    ...shown,
    ...(frequencyOffset === null ? {} : { frequencyOffset }),
    created_at: formatDate(check.createdAt),
    updated_at: check.updatedAt && formatDateTime(check.updatedAt),
    alertChannels: toWireChannels(check.channels),
  };
}

/** The four kinds that the contract shows; the others are known by their subscription. */
function toWireChannels(channels: readonly AlertChannel[]) {
  const configsOf = (type: string) =>
    channels.filter((channel) => channel.type === type).map((channel) => channel.config);
  return {
    email: configsOf("EMAIL").map(({ address }) => ({ address })),
    webhook: configsOf("WEBHOOK").map((config) => ({
      url: config.url,
      name: config.name ?? "",
      method: config.method ?? "POST",
      headers: config.headers ?? [],
      queryParameters: config.queryParameters ?? [],
    })),
    slack: configsOf("SLACK").map(({ url }) => ({ url })),
    sms: configsOf("SMS").map(({ number, name }) => ({ number, name: name ?? "" })),
  };
}
