import { parseTags } from "../parts/tags.ts";
import type { Group, GroupChange } from "./queries.ts";
import { words } from "./words.ts";

type AlertSettings = NonNullable<Group["alertSettings"]>;
type FailingMinutes = AlertSettings["timeBasedEscalation"]["minutesFailingThreshold"];

/** Thresholds in minutes that the API accepts for a time-based escalation. */
export const failingMinutes: readonly FailingMinutes[] = [5, 10, 15, 30];

export interface GroupValues {
  readonly name: string;
  readonly activated: boolean;
  readonly muted: boolean;
  readonly tags: string;
  readonly locations: readonly string[];
  readonly privateLocations: readonly string[];
  readonly alerting: "each" | "account" | "own";
  readonly escalation: AlertSettings["escalationType"];
  readonly failedRuns: number;
  readonly failingMinutes: FailingMinutes;
  /** Id of the group's escalation policy; `null` to use the account's policy. */
  readonly escalationPolicyId: string | null;
  /** Urgency of the group's alerts; empty if a tag or the type of alert decides. */
  readonly urgency: "" | "HIGH" | "LOW";
  readonly runParallel: "each" | "on" | "off";
  readonly channelIds: readonly number[];
  /** Script that runs before the requests of API checks; empty for no script. */
  readonly localSetupScript: string;
  readonly localTearDownScript: string;
  readonly setupSnippetId: number | null;
  readonly tearDownSnippetId: number | null;
}

export const newGroup: GroupValues = {
  name: "",
  activated: true,
  muted: false,
  tags: "",
  locations: [],
  privateLocations: [],
  alerting: "each",
  escalation: "RUN_BASED",
  failedRuns: 1,
  failingMinutes: 5,
  escalationPolicyId: null,
  urgency: "",
  runParallel: "each",
  channelIds: [],
  localSetupScript: "",
  localTearDownScript: "",
  setupSnippetId: null,
  tearDownSnippetId: null,
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
    escalation: alertSettings?.escalationType ?? newGroup.escalation,
    failedRuns: alertSettings?.runBasedEscalation.failedRunThreshold ?? newGroup.failedRuns,
    failingMinutes:
      alertSettings?.timeBasedEscalation.minutesFailingThreshold ?? newGroup.failingMinutes,
    escalationPolicyId: alertSettings?.escalationPolicyId ?? null,
    urgency: alertSettings?.urgency ?? "",
    runParallel: runParallel === null ? "each" : runParallel ? "on" : "off",
    channelIds: alertChannelSubscriptions
      .filter(({ activated }) => activated)
      .map(({ alertChannelId }) => alertChannelId),
    localSetupScript: group.localSetupScript ?? "",
    localTearDownScript: group.localTearDownScript ?? "",
    setupSnippetId: group.setupSnippetId ?? null,
    tearDownSnippetId: group.tearDownSnippetId ?? null,
  };
}

function toAlerting(values: GroupValues, before: Group | null): GroupChange {
  if (values.alerting === "each") return { useGlobalAlertSettings: null, alertSettings: null };
  const stored = before?.alertSettings ?? null;
  const urgency = values.urgency || null;
  const { escalationPolicyId } = values;
  const paging = {
    ...(escalationPolicyId !== (stored?.escalationPolicyId ?? null) && { escalationPolicyId }),
    ...(urgency !== (stored?.urgency ?? null) && { urgency }),
  };
  if (values.alerting === "account") {
    if (Object.keys(paging).length === 0) return { useGlobalAlertSettings: true };
    const alertSettings = { ...stored, ...paging } as GroupChange["alertSettings"] & object;
    return { useGlobalAlertSettings: true, alertSettings };
  }
  return {
    useGlobalAlertSettings: false,
    alertSettings: {
      ...stored,
      ...paging,
      escalationType: values.escalation,
      runBasedEscalation: { failedRunThreshold: values.failedRuns },
      timeBasedEscalation: { minutesFailingThreshold: values.failingMinutes },
    } as GroupChange["alertSettings"] & object,
  };
}

/**
 * Returns the channel subscriptions. The form does not contain inactive subscriptions, so those of
 * the stored group are retained.
 */
function toSubscriptions({ channelIds }: GroupValues, before: Group | null) {
  const inactive = (before?.alertChannelSubscriptions ?? []).filter(
    ({ alertChannelId, activated }) => !activated && !channelIds.includes(alertChannelId),
  );
  return [
    ...channelIds.map((alertChannelId) => ({ alertChannelId, activated: true })),
    ...inactive,
  ];
}

const scriptNames = [
  "localSetupScript",
  "localTearDownScript",
  "setupSnippetId",
  "tearDownSnippetId",
] as const;

/**
 * Returns only the scripts that the user has changed, so that a change of other fields does not
 * overwrite them.
 */
function toScripts(values: GroupValues, before: Group | null): GroupChange {
  const old = before === null ? newGroup : toValues(before);
  const changed = scriptNames.filter((name) => values[name] !== old[name]);
  return Object.fromEntries(
    changed.map((name) => [name, values[name] === "" ? null : values[name]]),
  );
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
    alertChannelSubscriptions: toSubscriptions(values, before),
    ...toAlerting(values, before),
    ...toScripts(values, before),
  };
}

// Labels and formats for the conflict panel, in which users compare two versions of a group.

export interface ShownNames {
  readonly channels: ReadonlyMap<number, string>;
  readonly locations: ReadonlyMap<string, string>;
}

const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  alerting: {
    each: words.eachDecides,
    account: words.accountSettings,
    own: words.ownSettings,
  } satisfies Record<GroupValues["alerting"], string>,
  escalation: {
    RUN_BASED: words.byRuns,
    TIME_BASED: words.byTime,
  } satisfies Record<GroupValues["escalation"], string>,
  urgency: {
    "": words.nearestUrgency,
    HIGH: words.urgent,
    LOW: words.notUrgent,
  } satisfies Record<GroupValues["urgency"], string>,
  runParallel: {
    each: words.eachDecides,
    on: words.parallelOn,
    off: words.parallelOff,
  } satisfies Record<GroupValues["runParallel"], string>,
};

/** Returns the name of a channel, followed by its id if another channel has an equal name. */
function nameChannel(id: number, { channels }: ShownNames): string {
  const name = channels.get(id) ?? words.channelNumber(id);
  const isShared = [...channels].some(([other, one]) => other !== id && one === name);
  return isShared ? `${name} (${id})` : name;
}

/** Formats ids and options as text; `undefined` for values that need no special format. */
export function formatValue(path: string, value: unknown, names: ShownNames): string | undefined {
  if (!Array.isArray(value)) return choices[path]?.[String(value)];
  if (value.length === 0) return undefined;
  if (path === "channelIds") return value.map((id) => nameChannel(id, names)).join(", ");
  return value.map((code) => names.locations.get(code) ?? code).join(", ");
}

export const labels: ReadonlyMap<string, string> = new Map([
  ["name", words.name],
  ["activated", words.activated],
  ["muted", words.muted],
  ["tags", words.tags],
  ["locations", words.locations],
  ["privateLocations", words.privateLocations],
  ["alerting", words.alerting],
  ["escalation", words.escalation],
  ["failedRuns", words.failedRuns],
  ["failingMinutes", words.failingMinutes],
  ["escalationPolicyId", words.policy],
  ["urgency", words.urgency],
  ["runParallel", words.parallel],
  ["channelIds", words.channels],
  ["localSetupScript", words.setupScript],
  ["localTearDownScript", words.tearDownScript],
  ["setupSnippetId", words.setupSnippet],
  ["tearDownSnippetId", words.tearDownSnippet],
]);
