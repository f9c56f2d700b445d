import { Type } from "typebox";
import { formatDate, formatDateTime } from "../../platform/dates.ts";
import {
  DateTime,
  Guid,
  maxInteger,
  Name,
  ObjectOrNull,
  OneOf,
  OrNull,
  RowId,
} from "../../platform/http/schema.ts";
import type { AlertChannel } from "../alert-channels/index.ts";
import { publicLocations } from "../locations/index.ts";
import { runtimes } from "../runtimes/index.ts";
import {
  AlertSettingsSchema,
  defaultAlertSettings,
  RetryStrategySchema,
  TriggerIncidentSchema,
  tidyTrigger,
} from "./alert-settings.ts";
import type { CheckSettings } from "./check.ts";
import { findOffsetFault, frequencies } from "./frequency.ts";
import {
  IcmpRequestBody,
  IcmpRequestChange,
  IcmpRequestSchema,
  mergeIcmpRequest,
} from "./kinds/icmp.ts";
import type { SubscribedCheck } from "./subscribed-channels.ts";

const locationNames = Object.keys(publicLocations);
const runtimeNames = runtimes.map((runtime) => runtime.name);

export const Locations = Type.Array(Type.Enum(locationNames, { type: "string" }), {
  maxItems: 22,
  uniqueItems: true,
});
export const Slug = Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9-]{0,29}$" });
export const Slugs = Type.Array(Slug, { maxItems: 50, uniqueItems: true });
export const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 });
export const Subscriptions = Type.Array(
  Type.Object({
    alertChannelId: RowId,
    activated: Type.Boolean({ default: true }),
  }),
  { maxItems: 500 },
);
export const RuntimeId = OrNull(Type.Enum(runtimeNames, { type: "string" }));
const Percent = Type.Integer({ minimum: 0, maximum: 100 });
const Milliseconds = OrNull(Type.Number({ minimum: 0, maximum: 300_000 }));
const Script = OrNull(Type.String({ maxLength: 500_000 }));
const SnippetId = OrNull(Type.Number({ minimum: 0, maximum: maxInteger }));

export const EnvironmentVariables = OrNull(
  Type.Array(
    Type.Object({
      key: Type.String({ minLength: 1, maxLength: 255 }),
      value: Type.String({ maxLength: 100_000 }),
      locked: Type.Optional(Type.Boolean()),
      secret: Type.Optional(Type.Boolean()),
    }),
    { maxItems: 50 },
  ),
);

/** Whatever both the request and the answer have. */
const common = {
  activated: Type.Optional(Type.Boolean()),
  muted: Type.Optional(Type.Boolean()),
  doubleCheck: Type.Optional(Type.Boolean()),
  shouldFail: Type.Optional(Type.Boolean()),
  locations: Type.Optional(OrNull(Locations)),
  tags: Type.Optional(Tags),
  alertSettings: Type.Optional(AlertSettingsSchema),
  useGlobalAlertSettings: Type.Optional(Type.Boolean()),
  groupId: Type.Optional(OrNull(RowId)),
  groupOrder: Type.Optional(OrNull(Type.Number({ minimum: 0, maximum: maxInteger }))),
  runtimeId: Type.Optional(RuntimeId),
  alertChannelSubscriptions: Type.Optional(Subscriptions),
  retryStrategy: Type.Optional(ObjectOrNull(RetryStrategySchema)),
  triggerIncident: Type.Optional(ObjectOrNull(TriggerIncidentSchema)),
  runParallel: Type.Optional(Type.Boolean()),
  frequency: Type.Optional(Type.Integer({ enum: [...frequencies] })),
  frequencyOffset: Type.Optional(Type.Integer({ minimum: 1, maximum: 600 })),
  degradedPacketLossThreshold: Type.Optional(Percent),
  maxPacketLossThreshold: Type.Optional(Percent),
};

const privateFields = {
  scriptPath: Type.Optional(OrNull(Type.String({ maxLength: 2_000 }))),
  sslCheckDomain: Type.Optional(OrNull(Type.String({ maxLength: 2_000 }))),
  environmentVariables: Type.Optional(EnvironmentVariables),
  setupSnippetId: Type.Optional(SnippetId),
  tearDownSnippetId: Type.Optional(SnippetId),
  localSetupScript: Type.Optional(Script),
  localTearDownScript: Type.Optional(Script),
  degradedResponseTime: Type.Optional(Milliseconds),
  maxResponseTime: Type.Optional(Milliseconds),
  privateLocations: Type.Optional(OrNull(Type.Union([Slug, Slugs]))),
};

const Heartbeat = Type.Object({}, { additionalProperties: true });

export const IcmpCheckBody = Type.Object({
  name: Name,
  request: IcmpRequestBody,
  ...common,
  ...privateFields,
  heartbeat: Type.Optional(OrNull(Heartbeat)),
  script: Type.Optional(Script),
});

export const IcmpCheckChange = Type.Object({
  name: Type.Optional(Name),
  request: Type.Optional(IcmpRequestChange),
  ...common,
  ...privateFields,
  heartbeat: Heartbeat,
  script: Type.String({ maxLength: 500_000 }),
});

/** What a creation and an update have in common, once either has passed its own schema. */
export type IcmpCheckWish = Omit<
  Partial<Type.Static<typeof IcmpCheckChange>>,
  "heartbeat" | "script"
> &
  Pick<Type.Static<typeof IcmpCheckBody>, "heartbeat" | "script">;

export const CheckParams = Type.Object({ id: Guid });
export const AutoAssignQuery = Type.Object({ autoAssignAlerts: Type.Boolean({ default: true }) });
export const CheckQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  page: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 1 }),
  tag: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 20 })),
  checkType: Type.Optional(Type.String({ maxLength: 32 })),
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  status: Type.Optional(OneOf(["passing", "failing", "degraded"])),
  applyGroupSettings: Type.Boolean({ default: false }),
});
export const CheckReadQuery = Type.Object({ applyGroupSettings: Type.Boolean({ default: false }) });

const KeyValue = Type.Object({
  key: Type.String(),
  value: Type.String(),
  locked: Type.Boolean(),
});

export const AlertChannelsSchema = Type.Object({
  email: Type.Array(Type.Object({ address: Type.String() })),
  webhook: Type.Array(
    Type.Object({
      url: Type.String(),
      name: Type.String(),
      method: Type.String(),
      headers: Type.Array(KeyValue),
      queryParameters: Type.Array(KeyValue),
    }),
  ),
  slack: Type.Array(Type.Object({ url: Type.String() })),
  sms: Type.Array(Type.Object({ number: Type.String(), name: Type.String() })),
});

export const IcmpCheckSchema = Type.Object({
  id: Guid,
  checkType: OneOf(["ICMP"]),
  name: Type.String(),
  ...common,
  request: IcmpRequestSchema,
  created_at: Type.String({ format: "date" }),
  updated_at: OrNull(DateTime),
  alertChannels: AlertChannelsSchema,
});
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
