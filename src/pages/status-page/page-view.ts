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

/** Formats names: "Website: Shop, Search; API: Orders", or "Shop, Search" for one card. */
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

/** State of the whole page, from best to worst, or `empty` if there are no services. */
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
  /** Whether maintenance is in progress, shown beside the state because it hides no outage. */
  readonly isUnderMaintenance: boolean;
  /** State that the checks of the service report; `null` while an incident is open. */
  readonly seen: {
    readonly status: State;
    readonly since: Date | null;
    /** Whether an incident of the service was resolved while this state lasted. */
    readonly isAfterIncident: boolean;
  } | null;
  /** Days of the history, oldest first. */
  readonly days: readonly DayView[];
  /** Uptime as a percentage; `null` if too little of the time is known. */
  readonly uptimePercent: number | null;
  /** Uptime as text. It includes the number of known days if some days are unknown. */
  readonly uptime: string;
  /** Description of the service, shown next to its name. */
  readonly description: string | null;
  /** Whether the bar of days and the uptime are shown. */
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
  /** Present if the description was truncated. A truncated description is shown as plain text. */
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
  /** Id that is globally unique and stays the same when the maintenance window is changed. */
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

/** An outage found by checks and not covered by an incident. */
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
  /** Past incidents by the day on which they ended, newest first, without empty days. */
  readonly pastDays: readonly IncidentDay[];
  readonly pastDayCount: number;
  /** Time of the last change of anything on the page. */
  readonly updatedAt: Date;
}

export interface MonthView {
  /** Month as `YYYY-MM`. */
  readonly month: string;
  readonly incidents: readonly IncidentView[];
  readonly previous: string | null;
  readonly next: string | null;
}
