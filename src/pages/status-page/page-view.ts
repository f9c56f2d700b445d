import type { State } from "../states.ts";

/** A service and the name of its card. */
export interface NamedService {
  readonly id: string;
  readonly name: string;
  /** Name of the card that contains the service; absent if the page has only one card. */
  readonly card?: string;
}

/** Groups services by card, in the order of the page. */
export function groupByCard<Service extends { readonly card?: string }>(
  services: readonly Service[],
): readonly { readonly card: string | null; readonly services: readonly Service[] }[] {
  const groups = Map.groupBy(services, ({ card }) => card ?? null);
  return [...groups].map(([card, group]) => ({ card, services: group }));
}

/**
 * Formats the names of services by card, such as "Website: Shop, Search; API: Orders". If there is
 * only one card, omits its name.
 */
export function listNames(services: readonly NamedService[]): string {
  return groupByCard(services)
    .map(({ card, services: group }) => {
      const names = group.map(({ name }) => name).join(", ");
      return card === null ? names : `${card}: ${names}`;
    })
    .join("; ");
}

/** Severity of an incident on a status page. */
export type Severity = "CRITICAL" | "MAJOR" | "MEDIUM" | "MINOR";
export type UpdateStatus = "INVESTIGATING" | "IDENTIFIED" | "MONITORING" | "RESOLVED";

/**
 * State of the whole page. `empty` means that there are no services. The other states are ordered
 * from best to worst.
 */
export type Indicator =
  | "empty"
  | "none"
  | "maintenance"
  | "unknown"
  | "minor"
  | "major"
  | "critical";

export interface DayView {
  /** Day in UTC as `YYYY-MM-DD`. */
  readonly date: string;
  readonly kind: "none" | "ok" | "degraded" | "outage";
  readonly failingMs: number;
  readonly degradedMs: number;
}

export interface ServiceView {
  readonly id: string;
  readonly name: string;
  readonly state: State;
  /**
   * Whether maintenance is in progress. It is shown beside the state, because it must not hide an
   * outage.
   */
  readonly isUnderMaintenance: boolean;
  /**
   * Problem or missing data that the checks of the service report; `null` if there is none, or if
   * an open incident describes it.
   */
  readonly seen: {
    readonly status: State;
    readonly since: Date | null;
    /**
     * Whether an incident of the service was resolved at or after `since`, although the checks
     * still report the problem.
     */
    readonly isAfterIncident: boolean;
  } | null;
  /** Days of the history, oldest first. */
  readonly days: readonly DayView[];
  /** Uptime as a percentage; `null` if less than one day of data exists. */
  readonly uptimePercent: number | null;
  /** Uptime as text. If some days are unknown, the text includes the number of known days. */
  readonly uptime: string;
  /** Description of the service, shown next to its name. */
  readonly description: string | null;
  /** Whether the page shows the bar of days and the uptime. */
  readonly showsHistory: boolean;
}

export interface CardView {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly services: readonly ServiceView[];
}

export interface UpdateView {
  readonly id: string;
  readonly status: UpdateStatus;
  readonly description: string;
  /**
   * Present if the description was truncated. A truncated description is shown as plain text,
   * without Markdown formatting.
   */
  readonly isCut?: true;
  readonly at: Date;
}

export interface IncidentView {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly status: UpdateStatus;
  /** Affected services that are on this page, in the order of the page. */
  readonly services: readonly NamedService[];
  /** Updates of the incident, newest first. */
  readonly updates: readonly UpdateView[];
  readonly startedAt: Date;
  readonly resolvedAt: Date | null;
  /** Published post-mortem, shown on the page of the incident. */
  readonly postMortem?: { readonly body: string; readonly publishedAt: Date };
}

export interface MaintenanceView {
  /** Globally unique id, which stays the same when the maintenance window is changed. */
  readonly id: string;
  /** Version of the maintenance window, incremented by every change. */
  readonly sequence: number;
  readonly name: string;
  readonly description: string | null;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** Affected services; empty if the page does not show them. */
  readonly services: readonly NamedService[];
  readonly isNow: boolean;
  readonly changedAt: Date;
}

/** An outage that checks found and that no incident covers. */
export interface OutageView {
  readonly serviceId: string;
  readonly serviceName: string;
  readonly status: "degraded" | "failing";
  readonly startedAt: Date;
  /** End of the outage; `null` while the outage is ongoing. */
  readonly endedAt: Date | null;
}

export interface IncidentDay {
  readonly date: string;
  readonly incidents: readonly IncidentView[];
}

export interface PageView {
  readonly name: string;
  readonly description: string | null;
  /** Whether search engines may list the page. */
  readonly isIndexed: boolean;
  readonly indicator: Indicator;
  /** State of the page in one plain sentence. */
  readonly sentence: string;
  readonly cards: readonly CardView[];
  readonly ongoing: readonly IncidentView[];
  readonly maintenance: readonly MaintenanceView[];
  /** Past incidents, grouped by the day on which they ended. Newest first, without empty days. */
  readonly pastDays: readonly IncidentDay[];
  readonly pastDayCount: number;
  /** Time of the latest change to anything that the page shows. */
  readonly updatedAt: Date;
}

export interface MonthView {
  /** Month as `YYYY-MM`. */
  readonly month: string;
  readonly incidents: readonly IncidentView[];
  readonly previous: string | null;
  readonly next: string | null;
}
