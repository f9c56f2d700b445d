import { toAvailabilityPercent } from "../../statistics/index.ts";
import type { Service } from "../../status-pages/index.ts";
import { type Severity, secondsBetween, severities } from "../incident.ts";
import {
  computeServiceAvailability,
  measureService,
  type ServiceHistory,
  type Span,
} from "../service-uptime.ts";
import type { OutageRecord } from "../uptime-store.ts";

export interface ServiceStatistics {
  readonly id: string;
  readonly name: string;
  /** Null when nothing is known of it. */
  readonly uptimePercent: number | null;
  readonly downtimeSeconds: number;
  readonly incidents: number;
}

export interface IncidentStatistics {
  readonly count: number;
  readonly ongoing: number;
  readonly bySeverity: Readonly<Record<Severity, number>>;
  readonly meanDurationSeconds: number | null;
  readonly medianDurationSeconds: number | null;
  readonly longestDurationSeconds: number | null;
  readonly meanTimeToAcknowledgeSeconds: number | null;
}

export function computeMean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}

export function computeMedian(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? null : Math.round((lower + upper) / 2);
}

/** Durations are whole, also of what began before the period; what goes on lasts until now. */
export function summariseIncidents(
  outages: readonly OutageRecord[],
  now: Date,
): IncidentStatistics {
  const durations = outages.map(({ startedAt, resolvedAt }) =>
    Math.max(0, secondsBetween(startedAt, resolvedAt ?? now)),
  );
  const answers = outages.flatMap(({ startedAt, acknowledgedAt }) =>
    acknowledgedAt === null ? [] : [secondsBetween(startedAt, acknowledgedAt)],
  );
  const countOf = (severity: Severity) =>
    outages.filter((outage) => outage.severity === severity).length;
  return {
    count: outages.length,
    ongoing: outages.filter(({ resolvedAt }) => resolvedAt === null).length,
    bySeverity: Object.fromEntries(
      severities.map((severity) => [severity, countOf(severity)]),
    ) as Record<Severity, number>,
    meanDurationSeconds: computeMean(durations),
    medianDurationSeconds: computeMedian(durations),
    longestDurationSeconds: durations.reduce<number | null>(
      (longest, value) => Math.max(longest ?? 0, value),
      null,
    ),
    meanTimeToAcknowledgeSeconds: computeMean(answers),
  };
}

export function summariseService(
  service: Service,
  history: ServiceHistory,
  window: Span,
): ServiceStatistics {
  const time = measureService(history, window);
  const availability = computeServiceAvailability(time);
  return {
    id: service.id,
    name: service.name,
    uptimePercent: availability === null ? null : toAvailabilityPercent(availability),
    downtimeSeconds: Math.round(time.failingMs / 1_000),
    incidents: history.outages.length,
  };
}
