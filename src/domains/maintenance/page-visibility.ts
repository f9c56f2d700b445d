import type { Severity } from "../incidents/index.ts";

/** What the public learns of a window. */
export interface PageVisibility {
  /** While this is false, nothing of the rest counts. */
  readonly enabled: boolean;
  readonly severity: Severity | null;
  readonly affectAllServices: boolean;
  readonly showAffectedServices: boolean;
  /** While the window is open, no check's alert opens an incident of a service it affects. */
  readonly suppressAutoIncidents: boolean;
  readonly notifyOnStart: boolean;
  readonly notifyOnEnd: boolean;
  readonly reminderMinutesBefore: readonly number[];
  /** Both always true: a window begins and ends by its times alone. */
  readonly autoStart: boolean;
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

/** Which field asks for something that is not there, in the words of the wire. */
export function findVisibilityFault(
  visibility: PageVisibility,
): { readonly key: string; readonly rule: string } | null {
  for (const field of ["autoStart", "autoEnd"] as const) {
    if (visibility[field]) continue;
    const rule = "must be true: a window starts and ends by its times, and not by hand";
    return { key: `statusPageVisibility.${field}`, rule };
  }
  return null;
}

/** Whether the window holds back incidents that alerts would open for the service. */
export function suppressesIncidentsOf(visibility: PageVisibility, serviceId: string): boolean {
  const { enabled, suppressAutoIncidents, affectAllServices, serviceIds } = visibility;
  return enabled && suppressAutoIncidents && (affectAllServices || serviceIds.includes(serviceId));
}
