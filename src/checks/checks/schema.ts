import { type TSchema, Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import type { AlertChannel } from "../../channels/alert-channels/index.ts";
import { allKinds, checkTypes, kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import { formatDateTime, toDay } from "../../platform/dates.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { clientProperties } from "../../platform/http/client-dialect.ts";
import {
  DateOnly,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
  PageQuery,
} from "../../platform/http/schema.ts";
import { type StoredVariable, showVariables, type Variable } from "../variables/index.ts";
import {
  common,
  createClientFields,
  createTimeFields,
  holdsVariables,
  ShownVariables,
} from "./check-fields.ts";
import type { CheckSettings } from "./check-settings.ts";
import { mapSecrets, maskSecret } from "./check-settings.ts";
import type { SubscribedCheck } from "./subscribed-channels.ts";

/** Data that a response needs besides the check or group. */
export interface CheckView {
  readonly publicUrl: string;
  /** Returns the variables for a response. Values that the caller may not see are masked. */
  readonly showVariables: (variables: readonly StoredVariable[]) => Variable[];
}

export function createView(
  context: { readonly encryption: Encryption; readonly publicUrl: () => string },
  caller: Caller,
): CheckView {
  return {
    publicUrl: context.publicUrl(),
    showVariables: (variables) => showVariables(variables, context.encryption, caller),
  };
}

export const CheckParams = Type.Object({ id: Described(Guid, "The check's id.") });
export const AutoAssignQuery = Type.Object({
  autoAssignAlerts: Type.Boolean({
    description: "Subscribe the new check to every alert channel.",
    default: true,
  }),
});
export const CheckQuery = Type.Object({
  ...PageQuery,
  tag: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      description: "Only checks with one of these tags; may be repeated.",
      maxItems: 20,
    }),
  ),
  checkType: Type.Optional(
    Type.String({
      description: `Only checks of this kind, such as ${checkTypes[0]}.`,
      maxLength: 32,
    }),
  ),
  search: Type.Optional(
    Type.String({
      description: "Only checks whose name contains this text.",
      minLength: 1,
      maxLength: 255,
    }),
  ),
  status: Described(
    Type.Optional(OneOf(["passing", "failing", "degraded"])),
    "Only checks with this status.",
  ),
  applyGroupSettings: Type.Boolean({
    description: "Return effective settings, in which group settings override those of the check.",
    default: false,
  }),
});
export const CheckReadQuery = Type.Object({
  applyGroupSettings: Type.Boolean({
    description: "Return effective settings, in which group settings override those of the check.",
    default: false,
  }),
});

const KeyValue = Type.Object({
  key: Type.String({ description: "The name.", examples: ["token"] }),
  value: Type.String({ description: "The value.", examples: ["••••"] }),
  locked: Type.Boolean({ description: "If true, the value is never shown again." }),
});

const AlertChannelsSchema = Type.Object({
  email: Type.Array(
    Type.Object({
      address: Type.String({ description: "The email address.", examples: ["ops@example.com"] }),
    }),
    { description: "The email channels." },
  ),
  webhook: Type.Array(
    Type.Object({
      url: Type.String({ description: "The address.", examples: ["https://hooks.example.com/x1"] }),
      name: Type.String({ description: "Its name.", examples: ["Pager"] }),
      method: Type.String({ description: "The HTTP method.", examples: ["POST"] }),
      headers: Type.Array(KeyValue, { description: "Headers of the request." }),
      queryParameters: Type.Array(KeyValue, { description: "Parameters added to the URL." }),
    }),
    { description: "The webhook channels." },
  ),
  slack: Type.Array(
    Type.Object({
      url: Type.String({ description: "The address.", examples: ["https://hooks.example.com/x1"] }),
    }),
    { description: "The Slack channels." },
  ),
  sms: Type.Array(
    Type.Object({
      number: Type.String({ description: "The phone number.", examples: ["+31 6 12 34 56 78"] }),
      name: Type.String({ description: "Display name of the recipient.", examples: ["On call"] }),
    }),
    { description: "The SMS channels." },
  ),
});

const ShownPlaces = Type.Array(Type.String(), {
  description: "Slugs of private locations; omitted if there are none.",
  examples: [["office"]],
});

type WireCheck = ReturnType<typeof toWireCheck>;

function omit<Fields extends object>(fields: Fields, names: readonly string[] = []) {
  const remaining = Object.entries(fields).filter(([name]) => !names.includes(name));
  return Object.fromEntries(remaining) as Partial<Fields>;
}

/** Creates the response schema for checks of one kind. */
function createCheckSchema(kind: Kind) {
  const { type, operations, fields } = kind;
  const times = kind.responseTimeLimits.areShown ? createTimeFields(kind) : {};
  const fieldsOfAll = omit({ ...common, ...times }, kind.hiddenFields);
  const { description, frequencyOffset, ...shown } = fieldsOfAll;
  return Type.Object(
    {
      id: Described(Guid, "Its id."),
      checkType: Described(OneOf([type]), "The kind of check."),
      name: Type.String({ description: "Its name.", examples: ["Router"] }),
      ...(description && { description }),
      ...Type.Required(Type.Object({ ...shown, ...fields.settings })).properties,
      ...fields.scripts,
      ...(frequencyOffset && { frequencyOffset }),
      ...(kind.isOrdered && { privateLocations: Type.Optional(ShownPlaces) }),
      ...fields.target.shown,
      ...(holdsVariables(kind) && { environmentVariables: ShownVariables }),
      created_at: Described(DateOnly, "The day it was created, in UTC."),
      updated_at: Described(OrNull(DateTime), "When it was last changed; `null` if never."),
      alertChannels: Described(
        AlertChannelsSchema,
        "Subscribed channels of four kinds; `alertChannelSubscriptions` contains all.",
      ),
    },
    { title: `${operations.name}Check`, [clientProperties]: createClientFields(kind) },
  );
}

const shownByType: ReadonlyMap<string, TSchema> = new Map(
  allKinds.map((kind) => [kind.type, createCheckSchema(kind)]),
);

export function checkSchemaOf({ type }: Kind) {
  return Type.Unsafe<WireCheck>(shownByType.get(type) ?? Type.Never());
}

const shownSchemas = [...shownByType.values()];

/** Response schema for a check of any kind, discriminated by `checkType`. */
export const AnyCheckSchema = Type.Unsafe<WireCheck>({
  ...Type.Union(shownSchemas),
  "x-shown": {
    title: "Check",
    description: "A check of any kind.",
    oneOf: shownSchemas,
    discriminator: {
      propertyName: "checkType",
      mapping: Object.fromEntries(
        allKinds.map(({ type, operations }) => [
          type,
          `#/components/schemas/${operations.name}Check`,
        ]),
      ),
    },
  },
});
export const CheckList = Type.Array(AnyCheckSchema);

/** Converts settings to their API form and masks secrets. */
export function toWireSettings(kind: Kind, stored: CheckSettings, publicUrl: string) {
  const settings = mapSecrets(kind, stored, maskSecret);
  const { privateLocations, degradedResponseTime, maxResponseTime, frequencyOffset, ...shown } =
    settings;
  const { areShown } = kind.responseTimeLimits;
  return {
    ...omit(shown, kind.hiddenFields),
    ...kind.showSettings?.(settings, { publicUrl }),
    ...(areShown ? { degradedResponseTime, maxResponseTime } : {}),
    ...(frequencyOffset === null || !kind.isOrdered ? {} : { frequencyOffset }),
    ...(kind.isOrdered && privateLocations.length > 0 && { privateLocations }),
  };
}

export function toWireCheck(check: SubscribedCheck, view: CheckView) {
  const kind = kinds[check.kind];
  return {
    id: check.id,
    checkType: check.kind,
    ...toWireSettings(kind, check.settings, view.publicUrl),
    ...(holdsVariables(kind) && { environmentVariables: view.showVariables(check.variables) }),
    created_at: toDay(check.createdAt),
    updated_at: check.updatedAt && formatDateTime(check.updatedAt),
    alertChannels: toWireChannels(check.channels),
  };
}

/**
 * Returns the channels of a check in four lists, one for each channel type that the response
 * supports. Channels of other types appear only in `alertChannelSubscriptions`.
 */
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
