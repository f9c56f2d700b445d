import { invalid } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import { listServices } from "../../status-pages/index.ts";
import type { IncidentsContext } from "../context.ts";
import { mapFollowed } from "../followed-store.ts";
import { dayMs } from "../service-uptime.ts";
import { listOutages, mapHistories, maxOutages } from "../uptime-store.ts";
import {
  type IncidentStatistics,
  type MonthStatistics,
  type ServiceStatistics,
  summariseIncidents,
  summariseMonths,
  summariseService,
} from "./statistics.ts";

const defaultDays = 90;
const maxDays = 366;
/** Maximum number of services per account. */
const maxServices = 1_000;

export interface StatisticsReport extends IncidentStatistics {
  readonly from: Date;
  readonly to: Date;
  readonly isTruncated: boolean;
  readonly byMonth: readonly MonthStatistics[];
  readonly services: readonly ServiceStatistics[];
}

/** Limits the period to the past. */
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

export async function getStatistics(
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
