import type { Kind } from "../../kinds/kit/kind.ts";
import type { GroupScripts } from "../../kinds/kit/secrets.ts";
import type { StoredVariable, VariableInput } from "../variables/index.ts";
import { type AlertSettings, combineAlertSettings, type RetrySettings } from "./alert-settings.ts";
import type { ChannelSubscription, CheckSettings } from "./check-settings.ts";
import { applyDefaults, mergeDefaults } from "./group-defaults.ts";

/** Settings of a group. Rows stored before groups had scripts lack the script fields. */
export interface GroupSettings extends GroupScripts {
  readonly activated: boolean;
  readonly muted: boolean;
  readonly tags: readonly string[];
  readonly locations: readonly string[];
  readonly privateLocations: readonly string[];
  readonly concurrency: number;
  readonly runParallel: boolean | null;
  readonly doubleCheck: boolean;
  readonly runtimeId: string | null;
  readonly retryStrategy: RetrySettings | null;
  readonly alertSettings: AlertSettings | null;
  readonly useGlobalAlertSettings: boolean | null;
  readonly alertChannelSubscriptions: readonly ChannelSubscription[];
}

export interface CheckGroup {
  readonly id: number;
  readonly name: string;
  readonly settings: GroupSettings;
  readonly variables: readonly StoredVariable[];
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Fields that a request sets. Omitted fields get their default or keep their stored value. */
export interface GroupInput extends Partial<Omit<GroupSettings, "privateLocations">> {
  readonly name?: string;
  readonly privateLocations?: readonly string[] | null;
  readonly environmentVariables?: readonly VariableInput[] | null;
}

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

const scriptNames = [
  "localSetupScript",
  "localTearDownScript",
  "setupSnippetId",
  "tearDownSnippetId",
] as const;

const storedNames: readonly string[] = [...Object.keys(defaults), ...scriptNames];

/** Returns the scripts that run around the requests of the group's checks; `null` if none. */
export function findGroupScripts(settings: GroupSettings): GroupScripts | null {
  const set = scriptNames.filter((name) => settings[name] != null && settings[name] !== "");
  return set.length === 0 ? null : Object.fromEntries(set.map((name) => [name, settings[name]]));
}

/** Merges an input into a group's settings and drops unknown client fields such as `id`. */
export function mergeGroupSettings(before: GroupSettings | null, input: GroupInput): GroupSettings {
  const { privateLocations, ...rest } = input;
  const given = Object.entries(rest).filter(
    ([name, value]) => value !== undefined && storedNames.includes(name),
  );
  return {
    ...(before ?? defaults),
    ...Object.fromEntries(given),
    ...(privateLocations === undefined ? {} : { privateLocations: privateLocations ?? [] }),
    ...mergeDefaults(before, input),
  };
}

/** Returns the effective settings of a check, which combine its own settings and its group's. */
export function applyGroupSettings(
  kind: Pick<Kind, "groupDefaults">,
  settings: CheckSettings,
  group: CheckGroup | null,
): CheckSettings {
  if (group === null) return settings;
  const { settings: ruling } = group;
  const rulesPlaces = ruling.locations.length > 0 || ruling.privateLocations.length > 0;
  return {
    ...applyDefaults(kind, settings, { group: ruling, scripts: findGroupScripts(ruling) }),
    activated: settings.activated && ruling.activated,
    muted: settings.muted || ruling.muted,
    tags: [...new Set([...settings.tags, ...ruling.tags])],
    locations: rulesPlaces ? ruling.locations : settings.locations,
    privateLocations: rulesPlaces ? ruling.privateLocations : settings.privateLocations,
    runParallel: ruling.runParallel ?? settings.runParallel,
    runtimeId: ruling.runtimeId ?? settings.runtimeId,
    retryStrategy: ruling.retryStrategy ?? settings.retryStrategy,
    alertSettings: combineAlertSettings(settings.alertSettings, ruling.alertSettings),
    useGlobalAlertSettings: ruling.useGlobalAlertSettings ?? settings.useGlobalAlertSettings,
  };
}
