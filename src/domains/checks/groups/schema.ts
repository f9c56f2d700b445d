import { Type } from "typebox";
import { checkTypes } from "../../../kinds/index.ts";
import { formatDate, formatDateTime } from "../../../platform/dates.ts";
import {
  DateTime,
  Described,
  Guid,
  Name,
  ObjectOrNull,
  OneOf,
  OrNull,
  paging,
} from "../../../platform/http/schema.ts";
import { AlertSettingsSchema, RetryStrategySchema } from "../alert-settings.ts";
import {
  Locations,
  RuntimeId,
  ShownVariables,
  Slugs,
  Subscriptions,
  Tags,
  Variables,
} from "../check-fields.ts";
import type { CheckGroup } from "../check-group.ts";
import { maskSecret } from "../check-secrets.ts";
import type { CheckView } from "../check-view.ts";
import { gatherDefaultFields, mapDefaultSecrets } from "../group-defaults.ts";

const fields = {
  activated: Type.Optional(
    Type.Boolean({ description: "False: none of its checks runs.", examples: [true] }),
  ),
  muted: Type.Optional(Type.Boolean({ description: "True: its checks run, but nobody is told." })),
  tags: Described(Type.Optional(Tags), "Labels that its checks have besides their own.", [
    "production",
  ]),
  locations: Described(
    Type.Optional(Locations),
    "Where its checks run; empty: where each says itself.",
  ),
  privateLocations: Described(
    Type.Optional(OrNull(Slugs)),
    "Slugs of private locations where its checks run as well. Each must exist.",
  ),
  concurrency: Type.Optional(
    Type.Integer({
      description: "Kept for clients that send it; runs are spread over time by themselves.",
      examples: [3],
      minimum: 1,
      maximum: 1_000,
    }),
  ),
  runParallel: Described(
    Type.Optional(OrNull(Type.Boolean())),
    "True: every run goes to all locations at once; null: each check decides.",
    null,
  ),
  doubleCheck: Type.Optional(
    Type.Boolean({
      description: "Kept for clients that send it; `retryStrategy` decides about retries.",
    }),
  ),
  runtimeId: Described(
    Type.Optional(RuntimeId),
    "The runtime of its checks; null: each check decides.",
    null,
  ),
  retryStrategy: Described(
    Type.Optional(ObjectOrNull(RetryStrategySchema)),
    "How its checks are tried again; null: each check decides.",
    null,
  ),
  alertSettings: Described(
    Type.Optional(ObjectOrNull(AlertSettingsSchema)),
    "When its checks alert; null: each check decides.",
    null,
  ),
  useGlobalAlertSettings: Described(
    Type.Optional(OrNull(Type.Boolean())),
    "True: the account's alert settings count; null: each check decides.",
    null,
  ),
  alertChannelSubscriptions: Described(
    Type.Optional(Subscriptions),
    "The channels that its checks alert through.",
  ),
};

const GroupVariables = Described(
  Variables,
  "Values that `{{KEY}}` stands for in the requests of its checks, before those of the account.",
);

export const GroupBody = Type.Object(
  {
    name: Described(Name, "Its name.", "Network"),
    ...fields,
    environmentVariables: GroupVariables,
    ...gatherDefaultFields(({ input }) => input),
  },
  { title: "CheckGroupInput" },
);
export const GroupChange = Type.Object(
  {
    name: Described(Type.Optional(Name), "Its name."),
    ...fields,
    environmentVariables: GroupVariables,
    ...gatherDefaultFields(({ input }) => input),
  },
  { title: "CheckGroupChange" },
);
export type GroupChange = Type.Static<typeof GroupChange>;

export const GroupParams = Type.Object({
  id: Type.Integer({ description: "The group's id.", minimum: 1, maximum: 2_147_483_647 }),
});
export const GroupQuery = Type.Object({
  ...paging,
});

export const GroupSchema = Type.Object(
  {
    id: Type.Integer({ description: "Its id.", examples: [3] }),
    name: Type.String({ description: "Its name.", examples: ["Network"] }),
    ...Type.Required(Type.Object(fields)).properties,
    environmentVariables: ShownVariables,
    ...gatherDefaultFields(({ shown }) => shown),
    created_at: Type.String({ description: "The day it was created, in UTC.", format: "date" }),
    updated_at: Described(OrNull(DateTime), "When it was last changed; null: never."),
  },
  { title: "CheckGroup" },
);
export const GroupList = Type.Array(GroupSchema);
export const GroupMembers = Type.Array(
  Type.Object({
    id: Described(Guid, "The check's id."),
    checkType: Described(OneOf(checkTypes), "The kind of check."),
  }),
);

export function toWireGroup(group: CheckGroup, view: Pick<CheckView, "showVariables">) {
  return {
    id: group.id,
    name: group.name,
    ...mapDefaultSecrets(group.settings, maskSecret),
    environmentVariables: view.showVariables(group.variables),
    created_at: formatDate(group.createdAt),
    updated_at: group.updatedAt && formatDateTime(group.updatedAt),
  };
}
