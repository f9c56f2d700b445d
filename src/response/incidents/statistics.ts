import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { invalid } from "../../platform/errors.ts";
import {
  answers,
  DateTime,
  Described,
  Guid,
  OrNull,
  parseBounds,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { toAvailabilityPercent } from "../../runs/statistics/index.ts";
import { listServices, type Service } from "../../sites/status-pages/index.ts";
import type { IncidentsContext } from "./incident.ts";
import { type Severity, secondsBetween } from "./incident.ts";
import {
  computeServiceAvailability,
  dayMs,
  measureService,
  type ServiceHistory,
  type Span,
} from "./service-state.ts";
import {
  listOutages,
  mapFollowed,
  mapHistories,
  maxOutages,
  type OutageRecord,
} from "./uptime-store.ts";

interface ServiceStatistics {
  readonly id: string;
  readonly name: string;
  /** Uptime of the service in percent; `null` without data. */
  readonly uptimePercent: number | null;
  readonly downtimeSeconds: number;
  readonly incidents: number;
}

/** Statistics of the incidents that started in one UTC month. */
interface MonthStatistics {
  /** Month in the format `YYYY-MM`. */
  readonly month: string;
  readonly count: number;
  readonly bySeverity: Readonly<Record<Severity, number>>;
  readonly meanDurationSeconds: number | null;
}

interface IncidentStatistics {
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

/** Returns the durations of incidents in seconds. An ongoing incident counts until now. */
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
 * Returns the statistics of each month, oldest first. An incident belongs to the month in which it
 * started.
 */
function summariseMonths(
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

/**
 * Returns the statistics of all incidents of a period. Durations are not clipped to the period, and
 * an ongoing incident counts until now.
 */
function summariseIncidents(outages: readonly OutageRecord[], now: Date): IncidentStatistics {
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

function summariseService(
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

const defaultDays = 90;
const maxDays = 366;
/** Maximum number of services per account. */
const maxServices = 1_000;

const DateOrDateTime = Type.Unsafe<string>({
  type: "string",
  maxLength: 40,
  anyOf: [{ format: "date" }, { format: "date-time" }],
  description: "a date (midnight UTC) or a date and time",
});

const StatisticsQuery = Type.Object({
  from: Described(
    Type.Optional(DateOrDateTime),
    "Start of the period: a date (midnight UTC) or a date and time.",
  ),
  to: Described(
    Type.Optional(DateOrDateTime),
    "End of the period: a date (midnight UTC) or a date and time.",
  ),
});

const Count = Type.Integer();
const Seconds = OrNull(Type.Integer());
const BySeverity = Type.Object(
  {
    CRITICAL: Described(Count, "Number of CRITICAL incidents."),
    MAJOR: Described(Count, "Number of MAJOR incidents."),
    MEDIUM: Described(Count, "Number of MEDIUM incidents."),
    MINOR: Described(Count, "Number of MINOR incidents."),
  },
  { description: "Number of incidents by severity." },
);

const StatisticsSchema = Type.Object(
  {
    from: Described(DateTime, "Start of the period."),
    to: Described(DateTime, "Until when."),
    count: Described(Count, "Number of incidents that were open at some time of the period."),
    ongoing: Described(Count, "Number of these that are still open."),
    bySeverity: BySeverity,
    meanDurationSeconds: Described(Seconds, "Mean duration; `null` if there are no incidents."),
    medianDurationSeconds: Described(Seconds, "Median duration; `null` if there are no incidents."),
    longestDurationSeconds: Described(
      Seconds,
      "Longest duration; `null` if there are no incidents.",
    ),
    meanTimeToAcknowledgeSeconds: Described(
      Seconds,
      "Mean time until a person responded; `null` if nobody did.",
    ),
    isTruncated: Type.Boolean({
      description: "Whether only the newest 10,000 incidents were counted.",
    }),
    byMonth: Type.Array(
      Type.Object({
        month: Type.String({ description: "Year and month, in UTC.", examples: ["2026-11"] }),
        count: Described(Count, "Number of incidents that started in the month."),
        bySeverity: BySeverity,
        meanDurationSeconds: Described(Seconds, "Mean duration; `null` if there are none."),
      }),
      { description: "Every month of the period, oldest first." },
    ),
    services: Type.Array(
      Type.Object({
        id: Described(Guid, "Its id."),
        name: Type.String({ description: "Its name.", examples: ["Payments"] }),
        uptimePercent: Described(
          OrNull(Type.Number()),
          "Uptime in percent; `null` without data.",
          99.95,
        ),
        downtimeSeconds: Type.Integer({ description: "Seconds of downtime." }),
        incidents: Described(Count, "Number of incidents that affected the service."),
      }),
      { description: "Every service of the account." },
    ),
  },
  { title: "IncidentStatistics" },
);

function toWireStatistics(report: StatisticsReport) {
  const { from, to, services, byMonth, ...rest } = report;
  return {
    from: formatDateTime(from),
    to: formatDateTime(to),
    ...rest,
    byMonth: byMonth.map((month) => ({ ...month })),
    services: services.map((service) => ({ ...service })),
  };
}

interface StatisticsReport extends IncidentStatistics {
  readonly from: Date;
  readonly to: Date;
  readonly isTruncated: boolean;
  readonly byMonth: readonly MonthStatistics[];
  readonly services: readonly ServiceStatistics[];
}

/** Validates the requested period, and limits its end to the current time. */
function decidePeriod(
  requested: { readonly from?: Date | undefined; readonly to?: Date | undefined },
  now: Date,
): { readonly from: Date; readonly to: Date } {
  for (const key of ["from", "to"] as const) {
    const atMs = requested[key]?.getTime() ?? 0;
    if (Number.isNaN(atMs)) throw invalid(key, "must be a valid date and time", "querystring");
    if (atMs < 0) throw invalid(key, "must not be before 1970", "querystring");
  }
  const toMs = Math.min(requested.to?.getTime() ?? now.getTime(), now.getTime());
  const fromMs = requested.from?.getTime() ?? Math.max(0, toMs - defaultDays * dayMs);
  if (fromMs >= toMs) throw invalid("from", "must be before to and in the past", "querystring");
  if (toMs - fromMs > maxDays * dayMs) {
    throw invalid("from", `must be at most ${maxDays} days before to`, "querystring");
  }
  return { from: new Date(fromMs), to: new Date(toMs) };
}

async function getStatistics(
  context: IncidentsContext,
  caller: Pick<Caller, "accountId">,
  requested: { readonly from?: Date | undefined; readonly to?: Date | undefined },
): Promise<StatisticsReport> {
  const { db } = context;
  const { accountId } = caller;
  const now = context.clock.now();
  const { from, to } = decidePeriod(requested, now);
  const outages = await listOutages(db, accountId, { from, to, serviceIds: null });
  const services = await listServices(db, accountId, { limit: maxServices });
  const followed = await mapFollowed(db, accountId, { services, from, to });
  const histories = await mapHistories(db, accountId, { services, outages, followed, from });
  const window = { fromMs: from.getTime(), toMs: to.getTime() };
  return {
    from,
    to,
    isTruncated: outages.length === maxOutages,
    ...summariseIncidents(outages, now),
    byMonth: summariseMonths(outages, { from, to }, now),
    services: services.flatMap((service) => {
      const history = histories.get(service.id);
      return history === undefined ? [] : [summariseService(service, history, window)];
    }),
  };
}

export function addStatisticsRoutes(server: HttpServer, context: IncidentsContext): void {
  server.get(
    "/v1/status-pages/incidents/statistics",
    {
      config: { access: "read" },
      schema: {
        tags: ["Incidents"],
        operationId: "getIncidentStatistics",
        summary: "Get incident statistics and the uptime of each service",
        description: "Covers the last 90 days unless `from` and `to` are given.",
        querystring: StatisticsQuery,
        response: answers({ 200: StatisticsSchema }),
      },
    },
    async ({ caller, query }) =>
      toWireStatistics(await getStatistics(context, caller, parseBounds(query))),
  );
}
