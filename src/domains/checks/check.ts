import { type CheckType, kinds } from "../../kinds/index.ts";
import type { Fault } from "../../kinds/kind.ts";
import type { AlertSettings, RetrySettings } from "./alert-settings.ts";
import type { ChannelSubscription, CheckSettings } from "./check-settings.ts";
import { findOffsetFault } from "./frequency.ts";

export type CheckStatus = "passing" | "degraded" | "failing" | "unknown";

export interface Check {
  readonly id: string;
  readonly kind: CheckType;
  readonly settings: CheckSettings;
  readonly status: CheckStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Accepted by the update, kept as it came, never interpreted and never shown. */
export type PrivateSettings = Readonly<Record<string, unknown>>;

export interface GroupSettings {
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
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Every rule between fields that is broken; the group may supply the locations. */
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
      ? [{ key: "locations", rule: "must name a location, or privateLocations must" }]
      : []),
    ...kinds[kind].findFaults(settings),
  ];
}

/** What a check does as a member of its group: whatever the group sets wins. */
export function applyGroupSettings(
  settings: CheckSettings,
  group: CheckGroup | null,
): CheckSettings {
  if (group === null) return settings;
  const { settings: ruling } = group;
  const rulesPlaces = ruling.locations.length > 0 || ruling.privateLocations.length > 0;
  return {
    ...settings,
    activated: settings.activated && ruling.activated,
    muted: settings.muted || ruling.muted,
    tags: [...new Set([...settings.tags, ...ruling.tags])],
    locations: rulesPlaces ? ruling.locations : settings.locations,
    privateLocations: rulesPlaces ? ruling.privateLocations : settings.privateLocations,
    runParallel: ruling.runParallel ?? settings.runParallel,
    runtimeId: ruling.runtimeId ?? settings.runtimeId,
    retryStrategy: ruling.retryStrategy ?? settings.retryStrategy,
    alertSettings: ruling.alertSettings ?? settings.alertSettings,
    useGlobalAlertSettings: ruling.useGlobalAlertSettings ?? settings.useGlobalAlertSettings,
  };
}

/** Where a check runs: what it names, or the service's own place. */
export function placesOf(settings: CheckSettings, defaultLocation: string): readonly string[] {
  const named = [...(settings.locations ?? []), ...settings.privateLocations];
  return named.length === 0 ? [defaultLocation] : [...new Set(named)];
}
