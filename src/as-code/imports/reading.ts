/**
 * A resource in the format of a deployment. References to other resources are `{ref: logicalId}`.
 */
export interface DesiredResource {
  readonly type: ResourceType;
  /** Identifier of the resource in its source, such as `kuma/12`. */
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

/** A push address of the old monitor, which becomes an alias of a heartbeat check. */
export interface PushAlias {
  /** Logical id of the heartbeat check. */
  readonly check: string;
  readonly form: AliasForm;
  /** Part of the old address that identifies the job. The key is a secret, except for Gatus. */
  readonly key: string;
  /**
   * Secret token that the job sends in addition to the address; `null` if the key is the secret.
   */
  readonly token: string | null;
}

/** Totals of the runs in one hour or day, as the old monitor recorded them. */
export interface HistorySlot {
  readonly startMs: number;
  readonly up: number;
  readonly down: number;
  /** Average response time in milliseconds; `null` if none was measured. */
  readonly avgMs: number | null;
  readonly minMs: number | null;
  readonly maxMs: number | null;
}

export interface Outage {
  readonly fromMs: number;
  /** End of the outage; `null` if the outage was ongoing when the file was written. */
  readonly toMs: number | null;
}

/** History that the old monitor recorded for a check. Slots are in UTC and sorted by time. */
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
  /** Type of the created object in words, such as "URL check". */
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

/** Report for the user about what an import would do. Contains no secrets. */
export interface ImportReport {
  readonly imported: readonly ImportedItem[];
  readonly changed: readonly ChangedItem[];
  readonly leftOut: readonly LeftOutItem[];
  readonly notes: readonly string[];
}

/** Installation of the old monitor that wrote the file. */
export interface Installation {
  /** Identifier that is identical in all files of the installation. */
  readonly id: string;
  /** Display name of the installation, such as its host. */
  readonly label: string;
}

/** What an import file has, as resources of Vedette. */
export interface Reading {
  /** Absent if the file does not identify the installation that wrote it. */
  readonly installation?: Installation;
  readonly resources: readonly DesiredResource[];
  readonly aliases: readonly PushAlias[];
  readonly history: readonly CheckHistory[];
  readonly report: ImportReport;
}

/** An uploaded file of the old monitor. */
export interface ImportFile {
  /** Original file name, for messages and to distinguish files. Never opened as a path. */
  readonly name: string;
  /** Path of the file's content on this machine. */
  readonly path: string;
}

/** Thrown if a file cannot be imported. The message is shown to the user. */
export class UnreadableFile extends Error {}

export const reference = (logicalId: string) => ({ ref: logicalId });
