import { toAvailabilityPercent } from "../statistics/index.ts";
import type { Service } from "../status-pages/index.ts";
import { type Severity, secondsBetween } from "./incident.ts";
import {
  computeServiceAvailability,
  measureService,
  type ServiceHistory,
  type Span,
} from "./service-uptime.ts";
import type { OutageRecord } from "./uptime-store.ts";

export interface ServiceStatistics {
  readonly id: string;
  readonly name: string;
  /** `null` without data. */
  readonly uptimePercent: number | null;
  readonly downtimeSeconds: number;
  readonly incidents: number;
}

/** Statistics of the incidents that started in a month, in UTC. */
export interface MonthStatistics {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly count: number;
  readonly bySeverity: Readonly<Record<Severity, number>>;
  readonly meanDurationSeconds: number | null;
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

function countBySeverity(outages: readonly OutageRecord[]): Readonly<Record<Severity, number>> {
  const count = { CRITICAL: 0, MAJOR: 0, MEDIUM: 0, MINOR: 0 } satisfies Record<Severity, number>;
  for (const { severity } of outages) count[severity] += 1;
  return count;
}

/** An ongoing incident lasts until now. */
function measureDurations(outages: readonly OutageRecord[], now: Date): number[] {
  return outages.map(({ startedAt, resolvedAt }) =>
    Math.max(0, secondsBetween(startedAt, resolvedAt ?? now)),
  );
}

function* listMonths({ from, to }: { readonly from: Date; readonly to: Date }): Generator<string> {
  const at = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), 1));
  for (; at < to; at.setUTCMonth(at.getUTCMonth() + 1)) yield at.toISOString().slice(0, 7);
}

/**
 * Returns every month of the period, oldest first. Incidents that started before the period are in
 * none.
 */
export function summariseMonths(
  outages: readonly OutageRecord[],
  period: { readonly from: Date; readonly to: Date },
  now: Date,
): MonthStatistics[] {
  const began = outages.filter(({ startedAt }) => startedAt >= period.from);
  const byMonth = Map.groupBy(began, ({ startedAt }) => startedAt.toISOString().slice(0, 7));
  return [...listMonths(period)].map((month) => {
    const own = byMonth.get(month) ?? [];
    return {
      month,
      count: own.length,
      bySeverity: countBySeverity(own),
      meanDurationSeconds: computeMean(measureDurations(own, now)),
    };
  });
}

/** Durations are not clipped to the period; an ongoing incident lasts until now. */
export function summariseIncidents(
  outages: readonly OutageRecord[],
  now: Date,
): IncidentStatistics {
  const durations = measureDurations(outages, now);
  const answers = outages.flatMap(({ startedAt, acknowledgedAt }) =>
    acknowledgedAt === null ? [] : [secondsBetween(startedAt, acknowledgedAt)],
  );
  return {
    count: outages.length,
    ongoing: outages.filter(({ resolvedAt }) => resolvedAt === null).length,
    bySeverity: countBySeverity(outages),
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
