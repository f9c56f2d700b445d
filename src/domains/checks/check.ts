import { type Fault, findIcmpFaults, type IcmpRequestSettings } from "../../kinds/icmp/request.ts";
import type { AlertSettings, RetrySettings, TriggerIncident } from "./alert-settings.ts";
import { findOffsetFault } from "./frequency.ts";

export interface ChannelSubscription {
  readonly alertChannelId: number;
  readonly activated: boolean;
}

/** What an ICMP check is, as its owner set it. */
export interface CheckSettings {
  readonly name: string;
  readonly activated: boolean;
  readonly muted: boolean;
  readonly doubleCheck: boolean;
  readonly shouldFail: boolean;
  /** Null is the service's default location. */
  readonly locations: readonly string[] | null;
  readonly tags: readonly string[];
  readonly alertSettings: AlertSettings;
  readonly useGlobalAlertSettings: boolean;
  readonly groupId: number | null;
  readonly groupOrder: number | null;
  readonly runtimeId: string | null;
  readonly alertChannelSubscriptions: readonly ChannelSubscription[];
  readonly retryStrategy: RetrySettings | null;
  readonly triggerIncident: TriggerIncident | null;
  readonly runParallel: boolean;
  readonly frequency: number;
  readonly frequencyOffset: number | null;
  readonly degradedPacketLossThreshold: number;
  readonly maxPacketLossThreshold: number;
  readonly request: IcmpRequestSettings;
  /** Places of one's own; never shown by the ICMP operations. */
  readonly privateLocations: readonly string[];
  /** They judge the response time only when somebody set them. */
  readonly degradedResponseTime: number | null;
  readonly maxResponseTime: number | null;
}

export type CheckStatus = "passing" | "degraded" | "failing" | "unknown";

export interface Check {
  readonly id: string;
  readonly kind: "ICMP";
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
export function findCheckFaults(settings: CheckSettings, group: CheckGroup | null): Fault[] {
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
    ...findIcmpFaults(settings.request),
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
