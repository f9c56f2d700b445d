import { type CheckType, kinds } from "../../kinds/index.ts";
import type { Fault } from "../../kinds/kit/definition.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import type { Verdict } from "../../kinds/kit/verdict.ts";
import { tagContent } from "../../platform/http/send.ts";
import type { StoredVariable } from "../variables/index.ts";
import type { CheckGroup } from "./check-group.ts";
import {
  type ChannelSubscription,
  type CheckInput,
  type CheckSettings,
  findOffsetFault,
} from "./check-settings.ts";

/**
 * Scripts and snippets that existing clients send for a kind that does not run them. Clients that
 * manage checks from source code expect to read back the values they sent, so these scripts are
 * stored separately from the settings.
 */
type Fields = Readonly<Record<string, unknown>>;

const maxScriptLength = 500_000;
const isScript = (value: unknown) => typeof value === "string" && value.length <= maxScriptLength;
const isId = (value: unknown) => Number.isSafeInteger(value);

const fields = {
  script: isScript,
  localSetupScript: isScript,
  localTearDownScript: isScript,
  setupSnippetId: isId,
  tearDownSnippetId: isId,
} as const;

/** Key of the separated scripts in an input: a symbol, which a request body cannot contain. */
const scripts = Symbol("scripts");

/** Whether a field belongs to the settings of the kind. */
const isOwn = (kind: Pick<Kind, "fields"> | undefined, name: string) =>
  kind !== undefined &&
  (Object.hasOwn(kind.fields.target.create, name) ||
    Object.hasOwn(kind.fields.settings, name) ||
    Object.hasOwn(kind.fields.scripts, name));

/**
 * Moves scripts that the kind does not run to a separate field of the body. Invalid scripts stay in
 * place, so that validation reports them.
 */
export function separateScripts(body: Fields, kind?: Pick<Kind, "fields">): Fields {
  const separated = Object.entries(fields)
    .filter(([name]) => !isOwn(kind, name))
    .map(([name, isValid]) => ({ name, value: body[name], isValid }))
    .filter(({ value, isValid }) => value === null || isValid(value));
  const names = separated.map(({ name }) => name);
  const others = Object.entries(body).filter(([name]) => !names.includes(name));
  return {
    ...Object.fromEntries(others),
    [scripts]: Object.fromEntries(separated.map(({ name, value }) => [name, value])),
  };
}

/** Returns the scripts that `separateScripts` found; `null` if it was not applied to the input. */
function findScripts(input: object): Fields | null {
  return (input as { readonly [scripts]?: Fields })[scripts] ?? null;
}

/**
 * Moves separated scripts that the kind runs back into the input. `separateScripts` separates all
 * scripts if the body does not name the kind.
 */
export function returnOwnScripts(kind: Pick<Kind, "fields">, input: CheckInput): CheckInput {
  const own = Object.entries(findScripts(input) ?? {}).filter(([name]) => isOwn(kind, name));
  return { ...input, ...Object.fromEntries(own) };
}

/** Returns the separately stored scripts of a client, without those that the kind runs. */
export function readClientScripts(kind: Pick<Kind, "fields">, stored: PrivateSettings): Fields {
  const scripts = Object.entries((stored.clientScripts ?? {}) as Fields);
  return Object.fromEntries(scripts.filter(([name]) => !isOwn(kind, name)));
}

/** Stored fields that only responses to existing clients contain. */
const privateNames = [
  "scriptPath",
  "sslCheckDomain",
  "intent",
  "setupSnippetId",
  "tearDownSnippetId",
  "localSetupScript",
  "localTearDownScript",
] as const;

export type CheckStatus = Verdict;

export interface Check {
  readonly id: string;
  readonly kind: CheckType;
  readonly settings: CheckSettings;
  readonly variables: readonly StoredVariable[];
  readonly status: CheckStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Stored fields as the client sent them. Only responses to existing clients contain them. */
export type PrivateSettings = Readonly<Record<string, unknown>>;

/** Returns every violated rule of the settings. The group may provide the locations. */
export function findCheckFaults(
  { kind, settings }: Pick<Check, "kind" | "settings">,
  group: CheckGroup | null,
): Fault[] {
  const offsetFault = findOffsetFault(settings.frequency, settings.frequencyOffset);
  const suppliesPlaces =
    settings.privateLocations.length > 0 ||
    (group?.settings.locations.length ?? 0) > 0 ||
    (group?.settings.privateLocations.length ?? 0) > 0;
  const hasNowhere = settings.locations?.length === 0 && !suppliesPlaces;
  return [
    ...(offsetFault === null ? [] : [{ key: "frequencyOffset", rule: offsetFault }]),
    ...(hasNowhere
      ? [{ key: "locations", rule: "or privateLocations must contain a location" }]
      : []),
    ...kinds[kind].findFaults(settings),
  ];
}

/**
 * Merges the private fields of an input with the stored private fields. Private fields are shown
 * only in responses to existing clients, such as the Terraform provider.
 */
export function mergePrivateSettings(
  kind: Pick<Kind, "fields">,
  before: PrivateSettings,
  input: CheckInput,
): PrivateSettings {
  const given = [...Object.keys(kind.fields.unused.create), ...privateNames]
    .filter((name) => input[name] !== undefined && !isOwn(kind, name))
    .map((name) => [name, input[name]]);
  const scripts = findScripts(input);
  return {
    ...before,
    ...Object.fromEntries(given),
    ...(scripts !== null && {
      clientScripts: readClientScripts(kind, {
        clientScripts: { ...(before.clientScripts ?? {}), ...scripts },
      }),
    }),
  };
}

/** Returns the ETag of a check. Depends on settings, channels and variables, not on the status. */
export function tagCheck({ settings, variables }: Pick<Check, "settings" | "variables">): string {
  return tagContent([sortSubscriptions(settings), variables]);
}

/** Returns the ETag of a group. Depends on the name, settings, current channels and variables. */
export function tagGroup(group: Pick<CheckGroup, "name" | "settings" | "variables">): string {
  return tagContent([group.name, sortSubscriptions(group.settings), group.variables]);
}

function sortSubscriptions<
  Settings extends { readonly alertChannelSubscriptions: readonly ChannelSubscription[] },
>(settings: Settings): Settings {
  const alertChannelSubscriptions = [...settings.alertChannelSubscriptions].sort(
    (one, other) => one.alertChannelId - other.alertChannelId,
  );
  return { ...settings, alertChannelSubscriptions };
}
