import { Type } from "typebox";
import { checkTypes } from "../../../kinds/index.ts";
import { formatDateTime, toDay } from "../../../platform/dates.ts";
import type { Encryption } from "../../../platform/encryption.ts";
import { invalid } from "../../../platform/errors.ts";
import {
  DateOnly,
  DateTime,
  Described,
  Guid,
  Name,
  ObjectOrNull,
  OneOf,
  OrNull,
  paging,
} from "../../../platform/http/schema.ts";
import { assertSchema } from "../../../platform/http/validation.ts";
import { storeVariables } from "../../variables/index.ts";
import { AlertSettingsSchema, RetryStrategySchema } from "../alert-settings.ts";
import {
  Locations,
  RuntimeId,
  Script,
  ShownVariables,
  Slugs,
  SnippetId,
  Subscriptions,
  Tags,
  Variables,
} from "../check-fields.ts";
import { type CheckGroup, type GroupSettings, mergeGroupSettings } from "../check-group.ts";
import { createSeal, maskSecret } from "../check-settings.ts";
import { completeClientGroup } from "../client-bodies.ts";
import { findDefaultFaults, gatherDefaultFields, mapDefaultSecrets } from "../group-defaults.ts";
import type { CheckView } from "../schema.ts";

const fields = {
  activated: Type.Optional(
    Type.Boolean({ description: "If false, none of its checks run.", examples: [true] }),
  ),
  muted: Type.Optional(
    Type.Boolean({ description: "If true, its checks run but send no alerts." }),
  ),
  tags: Described(Type.Optional(Tags), "Labels added to those of its checks.", ["production"]),
  locations: Described(
    Type.Optional(Locations),
    "Locations of its checks; empty to use the locations of each check.",
  ),
  privateLocations: Described(
    Type.Optional(OrNull(Slugs)),
    "Slugs of private locations of its checks. Each must exist.",
  ),
  concurrency: Type.Optional(
    Type.Integer({
      description: "Stored for compatibility; runs are spread over time automatically.",
      examples: [3],
      minimum: 1,
      maximum: 1_000,
    }),
  ),
  runParallel: Described(
    Type.Optional(OrNull(Type.Boolean())),
    "If true, each run uses all locations at once; `null` to use each check's setting.",
    null,
  ),
  doubleCheck: Type.Optional(
    Type.Boolean({
      description: "Stored for compatibility; `retryStrategy` controls retries.",
    }),
  ),
  runtimeId: Described(
    Type.Optional(RuntimeId),
    "The runtime of its checks; `null` to use each check's setting.",
    null,
  ),
  retryStrategy: Described(
    Type.Optional(ObjectOrNull(RetryStrategySchema)),
    "How failing runs are retried; `null` to use each check's setting.",
    null,
  ),
  alertSettings: Described(
    Type.Optional(ObjectOrNull(AlertSettingsSchema)),
    "When its checks alert; `null` to use each check's setting.",
    null,
  ),
  useGlobalAlertSettings: Described(
    Type.Optional(OrNull(Type.Boolean())),
    "If true, the account's alert settings apply; `null` to use each check's setting.",
    null,
  ),
  alertChannelSubscriptions: Described(
    Type.Optional(Subscriptions),
    "The channels that receive alerts of its checks.",
  ),
};

const before = "before the setup script of each check that has one request with assertions";
const after = "after the teardown script of each such check";
const scriptFields = {
  localSetupScript: Described(
    Type.Optional(Script),
    `The script that runs ${before}; \`null\` for none.`,
    null,
  ),
  localTearDownScript: Described(
    Type.Optional(Script),
    `The script that runs ${after}; \`null\` for none.`,
    null,
  ),
  setupSnippetId: Described(
    Type.Optional(SnippetId),
    `Id of the snippet that runs ${before}; \`null\` for none.`,
    null,
  ),
  tearDownSnippetId: Described(
    Type.Optional(SnippetId),
    `Id of the snippet that runs ${after}; \`null\` for none.`,
    null,
  ),
};

const GroupVariables = Described(
  Variables,
  "Values of `{{KEY}}` in requests of its checks; take precedence over account variables.",
);

export const GroupBody = Type.Object(
  {
    name: Described(Name, "Its name.", "Network"),
    ...fields,
    ...scriptFields,
    environmentVariables: GroupVariables,
    ...gatherDefaultFields(({ input }) => input),
  },
  { title: "CheckGroupInput" },
);
export const GroupChange = Type.Object(
  {
    name: Described(Type.Optional(Name), "Its name."),
    ...fields,
    ...scriptFields,
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
    ...scriptFields,
    created_at: Described(DateOnly, "The day it was created, in UTC."),
    updated_at: Described(OrNull(DateTime), "When it was last changed; `null` if never."),
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
    ...mapDefaultSecrets(group.settings, maskSecret),
    id: group.id,
    name: group.name,
    environmentVariables: view.showVariables(group.variables),
    created_at: toDay(group.createdAt),
    updated_at: group.updatedAt && formatDateTime(group.updatedAt),
  };
}

interface Sealer {
  readonly encryption: Encryption;
}

/** Validates the group's defaults for kinds and encrypts their secrets for storage. */
export function sealSound({ encryption }: Sealer, settings: GroupSettings): GroupSettings {
  const [fault] = findDefaultFaults(settings);
  if (fault !== undefined) throw invalid(fault.key, fault.rule);
  return mapDefaultSecrets(settings, createSeal(encryption));
}

/** Returns an unsaved group that is built from a request body. */
export function buildGroup(context: Sealer, body: object): CheckGroup {
  const input = { ...completeClientGroup({ ...body }), alertChannelSubscriptions: [] };
  assertSchema(GroupBody, input);
  const { name, environmentVariables, ...rest } = input as Parameters<typeof mergeGroupSettings>[1];
  return {
    id: 0,
    name: name ?? "",
    settings: sealSound(context, mergeGroupSettings(null, rest)),
    variables: storeVariables([], environmentVariables, context.encryption),
    createdAt: new Date(0),
    updatedAt: null,
  };
}
