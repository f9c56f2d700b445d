import type { Severity } from "../incidents/index.ts";

/** What status pages show of a window, and what subscribers are notified of. */
export interface PageVisibility {
  /** If false, the other fields have no effect. */
  readonly enabled: boolean;
  readonly severity: Severity | null;
  readonly affectAllServices: boolean;
  readonly showAffectedServices: boolean;
  /** While the window is open, alerts open no incident for the services it affects. */
  readonly suppressAutoIncidents: boolean;
  readonly notifyOnStart: boolean;
  readonly notifyOnEnd: boolean;
  readonly reminderMinutesBefore: readonly number[];
  /** Pages show it as begun at its time; if false, when a person says so. */
  readonly autoStart: boolean;
  /** Pages show it as over at its time; if false, when a person says so. */
  readonly autoEnd: boolean;
  /** Empty: every page of the account. */
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

/** Whether the window keeps alerts from opening incidents for the service. */
export function suppressesIncidentsOf(visibility: PageVisibility, serviceId: string): boolean {
  const { enabled, suppressAutoIncidents, affectAllServices, serviceIds } = visibility;
  return enabled && suppressAutoIncidents && (affectAllServices || serviceIds.includes(serviceId));
}
