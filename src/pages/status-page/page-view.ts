import type { State } from "../states.ts";

/** A service with its card on the page. */
export interface NamedService {
  readonly id: string;
  readonly name: string;
  /** The card that shows it; absent if the page has only one. */
  readonly card?: string;
}

/** Groups services in the order of the page, one entry per card. */
export function groupByCard<Service extends { readonly card?: string }>(
  services: readonly Service[],
): readonly { readonly card: string | null; readonly services: readonly Service[] }[] {
  const groups = Map.groupBy(services, ({ card }) => card ?? null);
  return [...groups].map(([card, group]) => ({ card, services: group }));
}

/** Formats "Website: Shop, Search; API: Orders", or only the names. */
export function listNames(services: readonly NamedService[]): string {
  return groupByCard(services)
    .map(({ card, services: group }) => {
      const names = group.map(({ name }) => name).join(", ");
      return card === null ? names : `${card}: ${names}`;
    })
    .join("; ");
}

/** Data of a public status page. */
export type Severity = "CRITICAL" | "MAJOR" | "MEDIUM" | "MINOR";
export type UpdateStatus = "INVESTIGATING" | "IDENTIFIED" | "MONITORING" | "RESOLVED";

/** State of the whole page, from best to worst after `empty`. */
export type Indicator =
  | "empty"
  | "none"
  | "maintenance"
  | "unknown"
  | "minor"
  | "major"
  | "critical";

export interface DayView {
  /** `YYYY-MM-DD`, in UTC. */
  readonly date: string;
  readonly kind: "none" | "ok" | "degraded" | "outage";
  readonly failingMs: number;
  readonly degradedMs: number;
}

export interface ServiceView {
  readonly id: string;
  readonly name: string;
  readonly state: State;
  /** Shown beside the state: maintenance neither hides an outage nor is one. */
  readonly isUnderMaintenance: boolean;
  /** State according to its checks; `null` while an incident is open. */
  readonly seen: {
    readonly status: State;
    readonly since: Date | null;
    /** Whether an incident of the service was resolved while this state lasted. */
    readonly isAfterIncident: boolean;
  } | null;
  /** Oldest first. */
  readonly days: readonly DayView[];
  /** `null` if too little is known. */
  readonly uptimePercent: number | null;
  /** Formatted uptime, with the number of days if some are unknown. */
  readonly uptime: string;
  /** Shown next to the name. */
  readonly description: string | null;
  /** Whether the days and the uptime are shown. */
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
  /** Truncated, and to be shown as plain text. */
  readonly isCut?: true;
  readonly at: Date;
}

export interface IncidentView {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly status: UpdateStatus;
  /** Only the services on the page, in its order. */
  readonly services: readonly NamedService[];
  /** Newest first. */
  readonly updates: readonly UpdateView[];
  readonly startedAt: Date;
  readonly resolvedAt: Date | null;
  /** Published post-mortem, shown on the page of the incident. */
  readonly postMortem?: { readonly body: string; readonly publishedAt: Date };
}

export interface MaintenanceView {
  /** Globally unique, and stable when the window is changed. */
  readonly id: string;
  /** Incremented by every change. */
  readonly sequence: number;
  readonly name: string;
  readonly description: string | null;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** Empty if they are hidden. */
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
  /** `null` while it is ongoing. */
  readonly endedAt: Date | null;
}

export interface IncidentDay {
  readonly date: string;
  readonly incidents: readonly IncidentView[];
}

export interface PageView {
  readonly name: string;
  readonly description: string | null;
  /** Whether search engines may list it. */
  readonly isIndexed: boolean;
  readonly indicator: Indicator;
  /** Summary in one plain sentence. */
  readonly sentence: string;
  readonly cards: readonly CardView[];
  readonly ongoing: readonly IncidentView[];
  readonly maintenance: readonly MaintenanceView[];
  /** Past incidents by the day they ended, newest first, without empty days. */
  readonly pastDays: readonly IncidentDay[];
  readonly pastDayCount: number;
  /** Last change of anything on the page. */
  readonly updatedAt: Date;
}

export interface MonthView {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly incidents: readonly IncidentView[];
  readonly previous: string | null;
  readonly next: string | null;
}
