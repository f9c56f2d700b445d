import type { Group, GroupChange } from "./queries.ts";

/** What the form holds: a group as people set it. */
export interface GroupValues {
  readonly name: string;
  readonly activated: boolean;
  readonly muted: boolean;
  readonly tags: string;
  readonly locations: readonly string[];
  readonly privateLocations: readonly string[];
  readonly alerting: "each" | "account" | "own";
  readonly failedRuns: number;
  readonly runParallel: "each" | "on" | "off";
  readonly channelIds: readonly number[];
}

export const newGroup: GroupValues = {
  name: "",
  activated: true,
  muted: false,
  tags: "",
  locations: [],
  privateLocations: [],
  alerting: "each",
  failedRuns: 1,
  runParallel: "each",
  channelIds: [],
};

function readAlerting({ alertSettings, useGlobalAlertSettings }: Group): GroupValues["alerting"] {
  if (useGlobalAlertSettings === true) return "account";
  return alertSettings === null ? "each" : "own";
}

export function toValues(group: Group): GroupValues {
  const { runParallel, alertSettings, alertChannelSubscriptions } = group;
  return {
    name: group.name,
    activated: group.activated,
    muted: group.muted,
    tags: group.tags.join(", "),
    locations: group.locations,
    privateLocations: group.privateLocations ?? [],
    alerting: readAlerting(group),
    failedRuns: alertSettings?.runBasedEscalation?.failedRunThreshold ?? 1,
    runParallel: runParallel === null ? "each" : runParallel ? "on" : "off",
    channelIds: alertChannelSubscriptions
      .filter(({ activated }) => activated)
      .map(({ alertChannelId }) => alertChannelId),
  };
}

function toAlerting(values: GroupValues, before: Group | null): GroupChange {
  if (values.alerting === "each") return { useGlobalAlertSettings: null, alertSettings: null };
  if (values.alerting === "account") return { useGlobalAlertSettings: true };
  const runBasedEscalation = { failedRunThreshold: values.failedRuns };
  return {
    useGlobalAlertSettings: false,
    alertSettings: {
      ...before?.alertSettings,
      escalationType: "RUN_BASED",
      runBasedEscalation,
    } as GroupChange["alertSettings"] & object,
  };
}

export function parseTags(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
}

export function toChange(
  values: GroupValues,
  before: Group | null,
): GroupChange & { name: string } {
  return {
    name: values.name.trim(),
    activated: values.activated,
    muted: values.muted,
    tags: parseTags(values.tags),
    locations: [...values.locations] as NonNullable<GroupChange["locations"]>,
    privateLocations: [...values.privateLocations],
    runParallel: values.runParallel === "each" ? null : values.runParallel === "on",
    alertChannelSubscriptions: values.channelIds.map((alertChannelId) => ({
      alertChannelId,
      activated: true,
    })),
    ...toAlerting(values, before),
  };
}
