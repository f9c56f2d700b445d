/** A resource as a deployment describes it. References to others are `{ref: logicalId}`. */
export interface DesiredResource {
  readonly type: ResourceType;
  /** Identifies the resource in its source, such as `kuma/12`. */
  readonly logicalId: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export const resourceTypes = [
  "alert-channel",
  "check-group",
  "check",
  "alert-channel-subscription",
  "status-page-service",
  "status-page",
  "maintenance-window",
  "snippet",
] as const;
export type ResourceType = (typeof resourceTypes)[number];

const aliasForms = ["uptime-kuma", "healthchecks", "healthchecks-slug", "gatus"] as const;
type AliasForm = (typeof aliasForms)[number];

/** An old push address that stays valid for a heartbeat check. */
export interface PushAlias {
  /** The logical id of the heartbeat check. */
  readonly check: string;
  readonly form: AliasForm;
  /** The part of the old address that identifies the job; a secret, except for Gatus. */
  readonly key: string;
  /** A token that the job sends beside the address; `null` if the key is the secret. */
  readonly token: string | null;
}

/** Runs of one hour or day of the old monitor. */
export interface HistorySlot {
  readonly startMs: number;
  readonly up: number;
  readonly down: number;
  /** Response times in milliseconds; `null` if there are none. */
  readonly avgMs: number | null;
  readonly minMs: number | null;
  readonly maxMs: number | null;
}

export interface Outage {
  readonly fromMs: number;
  /** `null` if it had not ended when the file was written. */
  readonly toMs: number | null;
}

/** What the old monitor recorded about a check. Slots are in UTC and ordered by time. */
export interface CheckHistory {
  readonly check: string;
  readonly hours: readonly HistorySlot[];
  readonly days: readonly HistorySlot[];
  readonly outages: readonly Outage[];
}

interface ImportedItem {
  readonly origin: string;
  readonly type: ResourceType;
  readonly name: string;
  /** What it becomes, such as "URL check". */
  readonly as: string;
}

export interface ChangedItem {
  readonly origin: string;
  readonly name: string;
  readonly field: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export interface LeftOutItem {
  readonly origin: string;
  readonly name: string;
  readonly why: string;
}

/** What an import would do. Contains no secrets. */
export interface ImportReport {
  readonly imported: readonly ImportedItem[];
  readonly changed: readonly ChangedItem[];
  readonly leftOut: readonly LeftOutItem[];
  readonly notes: readonly string[];
}

/** The installation of the old monitor that wrote a file. */
export interface Installation {
  /** The same in every file of the installation. */
  readonly id: string;
  /** Its name for people, such as its host. */
  readonly label: string;
}

/** The content of an import file, translated. */
export interface Reading {
  /** Absent if the file does not tell installations apart. */
  readonly installation?: Installation;
  readonly resources: readonly DesiredResource[];
  readonly aliases: readonly PushAlias[];
  readonly history: readonly CheckHistory[];
  readonly report: ImportReport;
}

/** A file of the old monitor. */
export interface ImportFile {
  /** Its original name, for messages and for telling files apart; never a path to open. */
  readonly name: string;
  /** Where its content is on this machine. */
  readonly path: string;
}

/** The file cannot be imported. The message is shown to the user. */
export class UnreadableFile extends Error {}

export const reference = (logicalId: string) => ({ ref: logicalId });
