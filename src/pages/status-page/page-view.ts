import type { State } from "../states.ts";

/** What the public page shows, whoever put it together. */
export type Severity = "CRITICAL" | "MAJOR" | "MEDIUM" | "MINOR";
export type UpdateStatus = "INVESTIGATING" | "IDENTIFIED" | "MONITORING" | "RESOLVED";

/** How the whole page is doing, from best to worst after `empty`. */
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
  /** Shown beside the state: it neither hides an outage nor is one. */
  readonly isUnderMaintenance: boolean;
  /** What its checks say, as long as no open incident says it in a person's words. */
  readonly seen: { readonly status: State; readonly since: Date | null } | null;
  /** Oldest first. */
  readonly days: readonly DayView[];
  /** Null where nothing is known. */
  readonly uptimePercent: number | null;
  /** The same in words, which also say of how many days if those are not all. */
  readonly uptime: string;
}

export interface CardView {
  readonly id: string;
  readonly name: string;
  readonly services: readonly ServiceView[];
}

export interface UpdateView {
  readonly id: string;
  readonly status: UpdateStatus;
  /** Markdown, as it was typed. */
  readonly description: string;
  /** What is left of a text that was too long for its document; plain text. */
  readonly isCut?: true;
  readonly at: Date;
}

export interface IncidentView {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly status: UpdateStatus;
  /** Those that this page shows. */
  readonly services: readonly { readonly id: string; readonly name: string }[];
  /** Newest first. */
  readonly updates: readonly UpdateView[];
  readonly startedAt: Date;
  readonly resolvedAt: Date | null;
}

export interface MaintenanceView {
  /** Unique in the world, and the same when the window is moved or changed otherwise. */
  readonly id: string;
  /** Rises with every change. */
  readonly sequence: number;
  readonly name: string;
  readonly description: string | null;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** Empty where they are not to be named. */
  readonly services: readonly { readonly id: string; readonly name: string }[];
  readonly isNow: boolean;
  readonly changedAt: Date;
}

/** A stretch of trouble that checks found, and that no incident tells of. */
export interface OutageView {
  readonly serviceId: string;
  readonly serviceName: string;
  readonly status: "degraded" | "failing";
  readonly startedAt: Date;
  /** Null while it goes on. */
  readonly endedAt: Date | null;
}

export interface IncidentDay {
  readonly date: string;
  readonly incidents: readonly IncidentView[];
}

export interface PageView {
  readonly name: string;
  readonly description: string | null;
  readonly isPrivate: boolean;
  readonly indicator: Indicator;
  /** One plain sentence. */
  readonly sentence: string;
  readonly cards: readonly CardView[];
  readonly ongoing: readonly IncidentView[];
  readonly maintenance: readonly MaintenanceView[];
  /** What is over, by the day on which it ended, newest first; days without any are not there. */
  readonly pastDays: readonly IncidentDay[];
  readonly pastDayCount: number;
  /** When anything of this was last written. */
  readonly updatedAt: Date;
}

export interface MonthView {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly incidents: readonly IncidentView[];
  readonly previous: string | null;
  readonly next: string | null;
}
