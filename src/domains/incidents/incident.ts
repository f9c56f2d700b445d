import type { Service } from "../status-pages/index.ts";

export const severities = ["CRITICAL", "MAJOR", "MEDIUM", "MINOR"] as const;
export type Severity = (typeof severities)[number];

export const incidentStatuses = ["INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED"] as const;
export type IncidentStatus = (typeof incidentStatuses)[number];

export const maxNameLength = 255;
export const maxDescriptionLength = 20_000;
export const maxServices = 100;
/** In the request that creates an incident, and in a template. */
export const maxFirstUpdates = 20;
/** Of one incident. */
export const maxUpdates = 500;
/** With each incident of a list; one that is read alone comes with all. */
export const maxListedUpdates = 20;

/** A change of status, dated as the public sees it. */
export interface Moment {
  readonly status: IncidentStatus;
  /** May lie in the past. */
  readonly publicAt: Date;
  /** In the order of writing, which decides between updates of the same moment. */
  readonly number: number;
  /** Who wrote it; null for the automation. */
  readonly author: string | null;
}

export interface IncidentUpdate extends Moment {
  readonly id: string;
  readonly incidentId: string;
  /** Markdown, as it was typed. */
  readonly description: string;
  readonly notifySubscribers: boolean;
  /** Number of subscribers it was addressed to; `null` if none was, or too long ago. */
  readonly notifiedCount: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** A period in which an incident was open; without an end while it is ongoing. */
export interface OpenSpan {
  readonly fromMs: number;
  readonly toMs: number | null;
}

/** What follows from an incident's updates, and from nothing else. */
export interface Course {
  /** The status of the newest update by its public date. */
  readonly status: IncidentStatus;
  readonly startedAt: Date;
  /** Null while it is ongoing. */
  readonly resolvedAt: Date | null;
  /** When a person first responded; null: not yet. */
  readonly acknowledgedAt: Date | null;
  /** In order of time; more than one once it was opened again. */
  readonly openSpans: readonly OpenSpan[];
}

export interface IncidentRecord extends Course {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly severity: Severity;
  readonly isAutomatic: boolean;
  readonly checkId: string | null;
  readonly alertNumber: number | null;
  /** When a person first posted an update to what the automation had opened. */
  readonly takenOverAt: Date | null;
  /** Raised by every change of it or of its updates. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export interface Incident extends IncidentRecord {
  readonly services: readonly Service[];
  /** Newest first by their public date. */
  readonly updates: readonly IncidentUpdate[];
}

export interface UpdateInput {
  readonly status: IncidentStatus;
  readonly description: string;
  readonly publicAt: Date;
  readonly notifySubscribers: boolean;
}

export interface IncidentInput {
  readonly name: string;
  readonly severity: Severity;
  readonly serviceIds: readonly string[];
  readonly updates: readonly UpdateInput[];
}

/** How far ahead of ours the clock of a client may be. */
const maxAheadMs = 300_000;

/** What is wrong with the public date of an update; null when nothing is. */
export function findDateFault(publicAt: Date, now: Date): string | null {
  const atMs = publicAt.getTime();
  if (Number.isNaN(atMs)) return "must be a moment that the calendar has";
  if (atMs < 0) return "must not be before 1970";
  if (atMs > now.getTime() + maxAheadMs) return "must not be in the future";
  return null;
}

/** Whole seconds from the first update to the last resolution; null while it is ongoing. */
export function measureDuration({ startedAt, resolvedAt }: Course): number | null {
  return resolvedAt === null ? null : secondsBetween(startedAt, resolvedAt);
}

/** Whole seconds until a person responded; null: not yet. */
export function measureTimeToAcknowledge({ startedAt, acknowledgedAt }: Course): number | null {
  return acknowledgedAt === null ? null : secondsBetween(startedAt, acknowledgedAt);
}

export function secondsBetween(from: Date, to: Date): number {
  return Math.floor((to.getTime() - from.getTime()) / 1_000);
}
