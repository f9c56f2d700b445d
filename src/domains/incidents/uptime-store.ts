import { type Database, runSql } from "../../platform/database.ts";
import { listFollowedChecks } from "../states/index.ts";
import { mapFollows, type Service } from "../status-pages/index.ts";
import type { IncidentRecord, Severity } from "./incident.ts";
import { overlaps } from "./public-store.ts";
import {
  combineFollowed,
  dayMs,
  type Followed,
  listServiceDays,
  type Outage,
  type ServiceDay,
  type ServiceHistory,
} from "./service-state.ts";
import { type Pair, toSpans } from "./store.ts";
import { listTroubles } from "./trouble-store.ts";

/** Maximum number of incidents read per window; the newest are used. */
export const maxOutages = 10_000;

/** Maps services to the checks they follow and to the state changes since a given time. */
export async function mapFollowed(
  db: Database,
  accountId: string,
  query: {
    readonly services: readonly Pick<Service, "id">[];
    readonly from: Date;
    readonly to: Date;
  },
): Promise<Map<string, Followed>> {
  const ids = query.services.map(({ id }) => id);
  const follows = await mapFollows(db, accountId, ids);
  const all = [...follows.values()].flat();
  const checks = await listFollowedChecks(db, accountId, {
    ids: [...new Set(all.flatMap(({ checkId }) => checkId ?? []))],
    tags: [...new Set(all.flatMap(({ tag }) => tag ?? []))],
  });
  const found = await listTroubles(db, accountId, {
    checkIds: checks.map(({ id }) => id),
    from: query.from,
    to: query.to,
  });
  const troubles = Map.groupBy(found, ({ checkId }) => checkId);
  return new Map(ids.map((id) => [id, combineFollowed(follows.get(id) ?? [], checks, troubles)]));
}

/** Maps services to the start of their first incident. */
async function mapFirstIncidents(
  db: Database,
  accountId: string,
  serviceIds: readonly string[],
): Promise<Map<string, Date>> {
  if (serviceIds.length === 0) return new Map();
  const rows = await runSql<{ serviceId: string; firstAt: Date }>(
    db,
    `select service_id as "serviceId", min(started_at) as "firstAt"
      from incident_services join incidents on incidents.id = incident_services.incident_id
      where account_id = $1 and service_id = any($2::uuid[]) group by service_id`,
    [accountId, serviceIds],
  );
  return new Map(rows.map(({ serviceId, firstAt }) => [serviceId, firstAt]));
}

export type OutageRecord = Outage &
  Pick<IncidentRecord, "startedAt" | "resolvedAt" | "acknowledgedAt"> & {
    readonly serviceIds: readonly string[];
    /** Severity for each service; `null` if it is that of the incident. */
    readonly serviceSeverities: readonly (Severity | null)[];
  };

type OutageRow = Omit<OutageRecord, "openSpans"> & { readonly openSpans: readonly Pair[] };

/** Lists the account's incidents that were open at some time in a window, latest first. */
export async function listOutages(
  db: Database,
  accountId: string,
  query: { readonly from: Date; readonly to: Date; readonly serviceIds: readonly string[] | null },
): Promise<OutageRecord[]> {
  const { from, to, serviceIds } = query;
  const rows = await runSql<OutageRow>(
    db,
    `select id as "incidentId", severity, open_spans as "openSpans", started_at as "startedAt",
        resolved_at as "resolvedAt", acknowledged_at as "acknowledgedAt",
        array(select service_id from incident_services where incident_id = incidents.id
          order by position) as "serviceIds",
        array(select affected.severity from incident_services as affected
          where affected.incident_id = incidents.id order by position) as "serviceSeverities"
      from incidents where account_id = $1 and ${overlaps("$2", "$3")}
        and ($4::uuid[] is null
          or id in (select incident_id from incident_services where service_id = any($4)))
      order by started_at desc, id desc limit $5`,
    [accountId, from, to, serviceIds, maxOutages],
  );
  return rows.map((row) => ({ ...row, openSpans: toSpans(row.openSpans) }));
}

/** Maps services to their histories since a given time, from the given incidents. */
export async function mapHistories(
  db: Database,
  accountId: string,
  about: {
    readonly services: readonly Service[];
    readonly outages: readonly OutageRecord[];
    readonly followed: ReadonlyMap<string, Followed>;
    readonly from: Date;
  },
): Promise<Map<string, ServiceHistory>> {
  // A service that existed before the window needs no lookup of its first incident.
  const younger = about.services.filter(({ createdAt }) => createdAt > about.from);
  const ids = younger.map(({ id }) => id);
  const firsts = await mapFirstIncidents(db, accountId, ids);
  const outages = Map.groupBy(
    about.outages.flatMap((outage) =>
      outage.serviceIds.map((id, index) => {
        const severity = outage.serviceSeverities[index] ?? outage.severity;
        return { id, outage: { ...outage, severity } };
      }),
    ),
    ({ id }) => id,
  );
  return new Map(
    about.services.map(({ id, createdAt }) => {
      const firstMs = firsts.get(id)?.getTime() ?? Number.POSITIVE_INFINITY;
      const history = {
        knownFromMs: Math.min(createdAt.getTime(), firstMs),
        outages: (outages.get(id) ?? []).map(({ outage }) => outage),
        troubles: about.followed.get(id)?.troubles ?? [],
      };
      return [id, history];
    }),
  );
}

/** State of the followed checks of some services, and their last UTC days, oldest first. */
export interface ServiceRecords {
  readonly followed: ReadonlyMap<string, Followed>;
  readonly days: ReadonlyMap<string, readonly ServiceDay[]>;
}

export async function loadServiceRecords(
  db: Database,
  accountId: string,
  query: { readonly services: readonly Service[]; readonly days: number; readonly now: Date },
): Promise<ServiceRecords> {
  const { services, days, now } = query;
  if (services.length === 0) return { followed: new Map(), days: new Map() };
  const nowMs = now.getTime();
  const from = new Date((Math.floor(nowMs / dayMs) - days + 1) * dayMs);
  const serviceIds = services.map(({ id }) => id);
  const [outages, followed] = await Promise.all([
    listOutages(db, accountId, { from, to: now, serviceIds }),
    mapFollowed(db, accountId, { services, from, to: now }),
  ]);
  const histories = await mapHistories(db, accountId, { services, outages, followed, from });
  return {
    followed,
    days: new Map(
      [...histories].map(([id, history]) => [id, listServiceDays(history, { days, nowMs })]),
    ),
  };
}
