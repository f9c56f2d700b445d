import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import { listFollowedChecks } from "../states/index.ts";
import { mapFollows, type Service } from "../status-pages/index.ts";
import type { IncidentRecord } from "./incident.ts";
import { overlaps } from "./public-store.ts";
import { combineFollowed, type Followed } from "./service-state.ts";
import {
  dayMs,
  listServiceDays,
  type Outage,
  type ServiceDay,
  type ServiceHistory,
} from "./service-uptime.ts";
import { type IncidentTables, toSpans } from "./store.ts";
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

const tables = (db: Database) => db.withTables<IncidentTables>();

/** Maps services to the start of their first incident. */
async function mapFirstIncidents(
  db: Database,
  accountId: string,
  serviceIds: readonly string[],
): Promise<Map<string, Date>> {
  if (serviceIds.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom("incident_services")
    .innerJoin("incidents", "incidents.id", "incident_services.incident_id")
    .select(["service_id as serviceId", (the) => the.fn.min("started_at").as("firstAt")])
    .where("account_id", "=", accountId)
    .where("service_id", "in", [...serviceIds])
    .groupBy("service_id")
    .execute();
  return new Map(rows.map(({ serviceId, firstAt }) => [serviceId, firstAt]));
}

export type OutageRecord = Outage &
  Pick<IncidentRecord, "startedAt" | "resolvedAt" | "acknowledgedAt"> & {
    readonly serviceIds: readonly string[];
  };

/** Lists the account's incidents that were open at some time in a window, latest first. */
export async function listOutages(
  db: Database,
  accountId: string,
  query: { readonly from: Date; readonly to: Date; readonly serviceIds: readonly string[] | null },
): Promise<OutageRecord[]> {
  const { from, to, serviceIds } = query;
  let select = tables(db)
    .selectFrom("incidents")
    .select((the) => [
      "id as incidentId",
      "severity",
      "open_spans as openSpans",
      "started_at as startedAt",
      "resolved_at as resolvedAt",
      "acknowledged_at as acknowledgedAt",
      sql<string[]>`array(${the
        .selectFrom("incident_services")
        .select("service_id")
        .whereRef("incident_id", "=", "incidents.id")
        .orderBy("position")})`.as("serviceIds"),
    ])
    .where("account_id", "=", accountId)
    .where(overlaps(from, to))
    .orderBy("started_at", "desc")
    .orderBy("id", "desc")
    .limit(maxOutages);
  if (serviceIds !== null) {
    select = select.where("id", "in", (nested) =>
      nested
        .selectFrom("incident_services")
        .select("incident_id")
        .where("service_id", "in", [...serviceIds]),
    );
  }
  const rows = await select.execute();
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
    about.outages.flatMap((outage) => outage.serviceIds.map((id) => ({ id, outage }))),
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
