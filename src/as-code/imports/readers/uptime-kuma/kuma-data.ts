import type { CheckHistory } from "../../reading.ts";
import type { Row } from "../row.ts";

/** History of one monitor, without the logical id of the check. */
export type MonitorHistory = Omit<CheckHistory, "check">;

/**
 * Content of an Uptime Kuma installation, from a database, a dump or a backup. The fields are named
 * as in the database (snake case). A table that the file does not contain is empty.
 */
export interface KumaData {
  readonly monitors: readonly Row[];
  readonly notifications: readonly Row[];
  readonly monitorNotifications: readonly Row[];
  readonly monitorTags: readonly Row[];
  readonly proxies: readonly Row[];
  readonly statusPages: readonly Row[];
  readonly statusPageDomains: readonly Row[];
  readonly groups: readonly Row[];
  readonly groupMonitors: readonly Row[];
  readonly incidents: readonly Row[];
  readonly maintenances: readonly Row[];
  readonly maintenanceMonitors: readonly Row[];
  /** Settings by name, with parsed values. */
  readonly settings: ReadonlyMap<string, unknown>;
  readonly history: ReadonlyMap<number, MonitorHistory>;
  readonly notes: readonly string[];
}
