import type { Service } from "../status-pages/index.ts";

export const severities = ["CRITICAL", "MAJOR", "MEDIUM", "MINOR"] as const;
export type Severity = (typeof severities)[number];

export const incidentStatuses = ["INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED"] as const;
export type IncidentStatus = (typeof incidentStatuses)[number];

export interface IncidentUpdate {
  readonly id: string;
  readonly incidentId: string;
  readonly status: IncidentStatus;
  /** Markdown, as it was typed. */
  readonly description: string;
  /** When it happened in the eyes of the public; may lie in the past. */
  readonly publicAt: Date;
  readonly notifySubscribers: boolean;
  /** Who wrote it; null for the automation. */
  readonly author: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export interface Incident {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly severity: Severity;
  /** The status of the newest update by its public date. */
  readonly status: IncidentStatus;
  readonly services: readonly Service[];
  /** Newest first by their public date. */
  readonly updates: readonly IncidentUpdate[];
  readonly startedAt: Date;
  /** Null while it goes on. */
  readonly resolvedAt: Date | null;
  readonly isAutomatic: boolean;
  readonly checkId: string | null;
  readonly alertNumber: number | null;
  /** When a person first posted an update to what the automation had opened. */
  readonly takenOverAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}
