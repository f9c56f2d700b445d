import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Service } from "../status-pages/index.ts";

/** Dependencies of this module's actions. */
export interface IncidentsContext {
  readonly db: Database;
  readonly clock: Clock;
}

export const maxNameLength = 255;
export const maxDescriptionLength = 20_000;
export const maxServices = 100;
/** Maximum number of updates in a create request and in a template. */
export const maxFirstUpdates = 20;
/** Maximum number of updates per incident. */
export const maxUpdates = 500;
/** Maximum number of updates per incident in a list; a single incident is returned with all. */
export const maxListedUpdates = 20;

/** Tolerated clock skew of clients. */
const maxAheadMs = 300_000;

export const severities = ["CRITICAL", "MAJOR", "MEDIUM", "MINOR"] as const;
export type Severity = (typeof severities)[number];

export const incidentStatuses = ["INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED"] as const;
export type IncidentStatus = (typeof incidentStatuses)[number];

/** A status change with its public date. */
export interface StatusChange {
  readonly status: IncidentStatus;
  /** May be in the past. */
  readonly publicAt: Date;
  /** Order of writing; breaks ties between updates with the same date. */
  readonly number: number;
  /** Name of the author; `null` for automatic updates. */
  readonly author: string | null;
}

export interface IncidentUpdate extends StatusChange {
  readonly id: string;
  readonly incidentId: string;
  /** Markdown source. */
  readonly description: string;
  readonly notifySubscribers: boolean;
  /** Number of subscribers it was sent to; `null` if it was not sent, or too long ago. */
  readonly notifiedCount: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** A period in which an incident was open; `toMs` is `null` while it is ongoing. */
export interface OpenSpan {
  readonly fromMs: number;
  readonly toMs: number | null;
}

/** Fields derived from an incident's updates. */
interface Course {
  /** Status of the update with the newest public date. */
  readonly status: IncidentStatus;
  readonly startedAt: Date;
  /** `null` while the incident is ongoing. */
  readonly resolvedAt: Date | null;
  /** When a person first responded; `null` if nobody has. */
  readonly acknowledgedAt: Date | null;
  /** Ordered by time; more than one if the incident was reopened. */
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
  /** When a person first posted to an automatic incident; `null` if nobody has. */
  readonly takenOverAt: Date | null;
  /** Incremented by every change of the incident or its updates. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export interface Incident extends IncidentRecord {
  readonly services: readonly Service[];
  /** Updates, newest public date first. */
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

/** Returns why a public date is invalid; `null` if it is valid. */
export function findDateFault(publicAt: Date, now: Date): string | null {
  const atMs = publicAt.getTime();
  if (Number.isNaN(atMs)) return "must be a valid date and time";
  if (atMs < 0) return "must not be before 1970";
  if (atMs > now.getTime() + maxAheadMs) return "must not be in the future";
  return null;
}

/**
 * Returns whole seconds from the first update to the last resolution; `null` while it is ongoing.
 */
export function measureDuration({ startedAt, resolvedAt }: Course): number | null {
  return resolvedAt === null ? null : secondsBetween(startedAt, resolvedAt);
}

/** Returns whole seconds until a person responded; `null` if nobody has. */
export function measureTimeToAcknowledge({ startedAt, acknowledgedAt }: Course): number | null {
  return acknowledgedAt === null ? null : secondsBetween(startedAt, acknowledgedAt);
}

export function secondsBetween(from: Date, to: Date): number {
  return Math.floor((to.getTime() - from.getTime()) / 1_000);
}

type Placed = Pick<StatusChange, "publicAt" | "number">;

/** Orders by public date, then by the order of writing. */
function compareByPublicDate(one: Placed, other: Placed): number {
  return one.publicAt.getTime() - other.publicAt.getTime() || one.number - other.number;
}

function findOpenSpans(statusChanges: readonly StatusChange[]): OpenSpan[] {
  const spans: OpenSpan[] = [];
  let fromMs: number | null = null;
  for (const { status, publicAt } of statusChanges) {
    const atMs = publicAt.getTime();
    if (status !== "RESOLVED") fromMs ??= atMs;
    else if (fromMs !== null) {
      spans.push({ fromMs, toMs: atMs });
      fromMs = null;
    }
  }
  if (fromMs !== null) spans.push({ fromMs, toMs: null });
  return spans;
}

/**
 * Returns when a person first responded. For an incident opened by a check, that is the first
 * update written by a person. A person who opens an incident has seen it, so it counts as
 * acknowledged once it leaves INVESTIGATING.
 */
function findAcknowledgement(
  statusChanges: readonly StatusChange[],
  isAutomatic: boolean,
): Date | null {
  const answer = statusChanges.find(({ author, status }) =>
    isAutomatic ? author !== null : status !== "INVESTIGATING",
  );
  return answer?.publicAt ?? null;
}

/**
 * Derives an incident's course from its updates. Any status may follow any other; another status
 * after RESOLVED reopens the incident.
 */
export function foldUpdates(updates: readonly StatusChange[], isAutomatic: boolean): Course {
  const statusChanges = [...updates].sort(compareByPublicDate);
  const [first] = statusChanges;
  const last = statusChanges.at(-1);
  if (first === undefined || last === undefined) throw new Error("an incident has no updates");
  const openSpans = findOpenSpans(statusChanges);
  const resolvedMs = openSpans.length === 0 ? first.publicAt.getTime() : openSpans.at(-1)?.toMs;
  return {
    status: last.status,
    startedAt: first.publicAt,
    resolvedAt: resolvedMs === null || resolvedMs === undefined ? null : new Date(resolvedMs),
    acknowledgedAt: findAcknowledgement(statusChanges, isAutomatic),
    openSpans,
  };
}

/** Returns the public status at a given time; INVESTIGATING before the first update. */
export function findStatusAt(updates: readonly StatusChange[], at: Date): IncidentStatus {
  const before = updates.filter(({ publicAt }) => publicAt.getTime() <= at.getTime());
  return before.sort(compareByPublicDate).at(-1)?.status ?? "INVESTIGATING";
}
