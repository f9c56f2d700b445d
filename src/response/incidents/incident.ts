import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Service } from "../../sites/status-pages/index.ts";

/** Dependencies of the actions on incidents. */
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
/**
 * Maximum number of updates per incident in a list of incidents. A request for a single incident
 * returns all its updates.
 */
export const maxListedUpdates = 20;

/**
 * Tolerance for dates of incident updates in the future, in milliseconds. Clients set these dates,
 * and the clock of a client may be fast.
 */
const maxAheadMs = 300_000;

export const severities = ["CRITICAL", "MAJOR", "MEDIUM", "MINOR"] as const;
export type Severity = (typeof severities)[number];

export const incidentStatuses = ["INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED"] as const;
export type IncidentStatus = (typeof incidentStatuses)[number];

/** A status change with its public date. */
export interface StatusChange {
  readonly status: IncidentStatus;
  /** Public date of the update, which may be in the past. */
  readonly publicAt: Date;
  /**
   * Number of the update in the order of writing, by which updates with equal public dates are
   * sorted.
   */
  readonly number: number;
  /** Name of the author; `null` for automatic updates. */
  readonly author: string | null;
}

export interface IncidentUpdate extends StatusChange {
  readonly id: string;
  readonly incidentId: string;
  /** Text of the update in Markdown. */
  readonly description: string;
  readonly notifySubscribers: boolean;
  /** Number of recipients; `null` if the update was not sent or the number is no longer stored. */
  readonly notifiedCount: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** A period in which an incident was open. `toMs` is `null` while the period is ongoing. */
export interface OpenSpan {
  readonly fromMs: number;
  readonly toMs: number | null;
}

/** Fields that are computed from the updates of an incident. */
interface Course {
  /** Status of the update with the newest public date. */
  readonly status: IncidentStatus;
  readonly startedAt: Date;
  /** When the incident was last resolved; `null` while it is ongoing. */
  readonly resolvedAt: Date | null;
  /** When a person first responded; `null` if nobody has responded. */
  readonly acknowledgedAt: Date | null;
  /** Periods in which the incident was open, oldest first: more than one if it was reopened. */
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
  /** When a person took over an automatic incident; `null` if nobody did. */
  readonly takenOverAt: Date | null;
  /** Version number, incremented by every change of the incident or its updates. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export interface Incident extends IncidentRecord {
  readonly services: readonly Service[];
  /** Updates sorted by public date, newest first. */
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

/** Returns the seconds from the first update to the last resolution; `null` while ongoing. */
export function measureDuration({ startedAt, resolvedAt }: Course): number | null {
  return resolvedAt === null ? null : secondsBetween(startedAt, resolvedAt);
}

/** Returns how many seconds passed until a person responded; `null` if nobody has responded. */
export function measureTimeToAcknowledge({ startedAt, acknowledgedAt }: Course): number | null {
  return acknowledgedAt === null ? null : secondsBetween(startedAt, acknowledgedAt);
}

export function secondsBetween(from: Date, to: Date): number {
  return Math.floor((to.getTime() - from.getTime()) / 1_000);
}

type Placed = Pick<StatusChange, "publicAt" | "number">;

/** Compares updates by public date and, if these are equal, by the order of writing. */
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
 * Returns when a person first responded to an incident; `null` if nobody has responded. An
 * automatic incident is acknowledged by the first update that a person writes. An incident opened
 * by a person is acknowledged by the first update with a status other than INVESTIGATING.
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
 * Computes the status and the open periods of an incident from its updates. Statuses may follow in
 * any order, and any status after RESOLVED reopens the incident.
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

/** Returns the public status of an incident at a given time, initially INVESTIGATING. */
export function findStatusAt(updates: readonly StatusChange[], at: Date): IncidentStatus {
  const before = updates.filter(({ publicAt }) => publicAt.getTime() <= at.getTime());
  return before.sort(compareByPublicDate).at(-1)?.status ?? "INVESTIGATING";
}
