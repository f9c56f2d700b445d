import { Type } from "typebox";
import { formatDate, formatDateTime } from "../../../platform/dates.ts";
import {
  DateTime,
  Guid,
  Name,
  ObjectOrNull,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import { AlertSettingsSchema, RetryStrategySchema } from "../alert-settings.ts";
import type { CheckGroup, GroupSettings } from "../check.ts";
import { Locations, RuntimeId, Slugs, Subscriptions, Tags } from "../schema.ts";

const fields = {
  activated: Type.Optional(Type.Boolean()),
  muted: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Tags),
  locations: Type.Optional(Locations),
  privateLocations: Type.Optional(OrNull(Slugs)),
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  runParallel: Type.Optional(OrNull(Type.Boolean())),
  doubleCheck: Type.Optional(Type.Boolean()),
  runtimeId: Type.Optional(RuntimeId),
  retryStrategy: Type.Optional(ObjectOrNull(RetryStrategySchema)),
  alertSettings: Type.Optional(ObjectOrNull(AlertSettingsSchema)),
  useGlobalAlertSettings: Type.Optional(OrNull(Type.Boolean())),
  alertChannelSubscriptions: Type.Optional(Subscriptions),
};

export const GroupBody = Type.Object({ name: Name, ...fields });
export const GroupChange = Type.Object({ name: Type.Optional(Name), ...fields });
export type GroupChange = Type.Static<typeof GroupChange>;

export const GroupParams = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
});
export const GroupQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  page: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 1 }),
});

export const GroupSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  ...fields,
  created_at: Type.String({ format: "date" }),
  updated_at: OrNull(DateTime),
});
export const GroupList = Type.Array(GroupSchema);
export const GroupMembers = Type.Array(Type.Object({ id: Guid, checkType: OneOf(["ICMP"]) }));

const defaults: GroupSettings = {
  activated: true,
  muted: false,
  tags: [],
  locations: [],
  privateLocations: [],
  concurrency: 3,
  runParallel: null,
  doubleCheck: true,
  runtimeId: null,
  retryStrategy: null,
  alertSettings: null,
  useGlobalAlertSettings: null,
  alertChannelSubscriptions: [],
};

export function mergeGroupSettings(
  before: GroupSettings | null,
  change: GroupChange,
): GroupSettings {
  const { name: _name, privateLocations, ...rest } = change;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    ...(before ?? defaults),
    ...(Object.fromEntries(given) as Partial<GroupSettings>),
    ...(privateLocations === undefined ? {} : { privateLocations: privateLocations ?? [] }),
  };
}

export function toWireGroup(group: CheckGroup) {
  return {
    id: group.id,
    name: group.name,
    ...group.settings,
    created_at: formatDate(group.createdAt),
    updated_at: group.updatedAt && formatDateTime(group.updatedAt),
  };
}
