import type { Severity } from "../incidents/index.ts";

/** What status pages show of a window, and what subscribers are notified of. */
export interface PageVisibility {
  /** If false, the other fields have no effect. */
  readonly enabled: boolean;
  readonly severity: Severity | null;
  readonly affectAllServices: boolean;
  readonly showAffectedServices: boolean;
  /** While the window is open, alerts open no incidents for the services it affects. */
  readonly suppressAutoIncidents: boolean;
  readonly notifyOnStart: boolean;
  readonly notifyOnEnd: boolean;
  readonly reminderMinutesBefore: readonly number[];
  /** If true, pages show it as started at its start time; if false, a person's update starts it. */
  readonly autoStart: boolean;
  /** If true, pages show it as completed at its end time; if false, a person's update ends it. */
  readonly autoEnd: boolean;
  /** Pages that show it; empty for every page of the account. */
  readonly statusPageIds: readonly string[];
  readonly serviceIds: readonly string[];
}

export const hiddenFromPages: PageVisibility = {
  enabled: false,
  severity: null,
  affectAllServices: false,
  showAffectedServices: true,
  suppressAutoIncidents: false,
  notifyOnStart: false,
  notifyOnEnd: false,
  reminderMinutesBefore: [],
  autoStart: true,
  autoEnd: true,
  statusPageIds: [],
  serviceIds: [],
};

/** Returns whether the window keeps alerts from opening incidents for the service. */
export function suppressesIncidentsOf(visibility: PageVisibility, serviceId: string): boolean {
  const { enabled, suppressAutoIncidents, affectAllServices, serviceIds } = visibility;
  return enabled && suppressAutoIncidents && (affectAllServices || serviceIds.includes(serviceId));
}
