import type { CheckHistory } from "../../reading.ts";
import type { Row } from "../row.ts";

/** History by monitor id, without the logical id of the check. */
export type MonitorHistory = Omit<CheckHistory, "check">;

/**
 * The content of an installation, in the names of its database (snake_case), whichever file it came
 * from. A table that the file does not have is empty.
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
  /** Values are parsed. */
  readonly settings: ReadonlyMap<string, unknown>;
  readonly history: ReadonlyMap<number, MonitorHistory>;
  readonly notes: readonly string[];
}
