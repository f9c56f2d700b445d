import { type Database, runSql } from "../../platform/database.ts";
import { listFollowedChecks } from "../../runs/states/index.ts";
import {
  listServicesThatFollow,
  mapFollows,
  type Service,
} from "../../sites/status-pages/index.ts";
import {
  type Incident,
  type IncidentRecord,
  maxListedUpdates,
  maxUpdates,
  type Severity,
  severities,
} from "./incident.ts";
import {
  combineFollowed,
  dayMs,
  type Followed,
  listServiceDays,
  type Outage,
  type ServiceDay,
  type ServiceHistory,
} from "./service-state.ts";
import {
  completeRecords,
  findRecord,
  type Pair,
  type RecordRow,
  recordColumns,
  toRecord,
  toSpans,
} from "./store.ts";
import { listTroubles } from "./trouble-store.ts";

/**
 * Maximum number of incidents that are loaded for a time range. If there are more, only the newest
 * are loaded.
 */
export const maxOutages = 10_000;

/**
 * Maps services to the state of the checks that they follow, and to the problems of these checks in
 * a time range.
 */
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

/** Maps services to the start time of their first incident. */
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
    /** Severity for each service; `null` if it is the severity of the incident. */
    readonly serviceSeverities: readonly (Severity | null)[];
  };

type OutageRow = Omit<OutageRecord, "openSpans"> & { readonly openSpans: readonly Pair[] };

/**
 * SQL condition for incidents that were open at some time between `from` and `to`, which are
 * parameters such as `$2`. An incident that was resolved in the instant of its start is included if
 * it started in the range. `resolved_at` is never before `started_at`, so an index on `resolved_at`
 * finds all these incidents.
 */
const overlaps = (from: string, to: string) =>
  `started_at < ${to} and (resolved_at is null or resolved_at >= ${from})
    and not (started_at < ${from} and resolved_at is not distinct from ${from})`;

interface PublicIncidentsQuery {
  readonly serviceIds: readonly string[];
  readonly from: Date;
  readonly to: Date;
  readonly limit: number;
  /** Whether to list only ongoing or only resolved incidents; if absent, lists both. */
  readonly only?: "ongoing" | "over" | undefined;
}

const rankOf = (severity: string) =>
  `array_position('{${severities.join(",")}}'::text[], ${severity})`;
const rank = rankOf("severity");
const serviceRank = rankOf("coalesce(incident_services.severity, incidents.severity)");

/**
 * Lists at most `limit` incidents of services in a period, newest first, each with its newest
 * updates. If only ongoing incidents are requested, they are sorted by severity first, so that the
 * limit never hides the worst incident.
 */
export async function listPublicIncidents(
  db: Database,
  accountId: string,
  query: PublicIncidentsQuery,
): Promise<Incident[]> {
  if (query.serviceIds.length === 0) return [];
  const { serviceIds, from, to, limit, only } = query;
  const isOngoing = only === undefined ? null : only === "ongoing";
  const rows = await runSql<RecordRow>(
    db,
    `select ${recordColumns} from incidents where account_id = $1 and ${overlaps("$2", "$3")}
      and id in (select incident_id from incident_services where service_id = any($4::uuid[]))
      and ($5::bool is null or (resolved_at is null) = $5)
      order by ${isOngoing ? `${rank}, ` : ""}started_at desc, id desc limit $6`,
    [accountId, from, to, serviceIds, isOngoing, limit],
  );
  const records = rows.map(toRecord);
  return completeRecords(db, accountId, { records, updatesPerIncident: maxListedUpdates });
}

/**
 * Maps services to the worst severity of their ongoing incidents. A service without an ongoing
 * incident is absent.
 */
export async function mapOngoingSeverities(
  db: Database,
  accountId: string,
  query: {
    readonly serviceIds: readonly string[];
    readonly to: Date;
    /** Id of an incident to ignore, for example because a draft replaces it. */
    readonly exceptId?: string | undefined;
  },
): Promise<Map<string, Severity>> {
  if (query.serviceIds.length === 0) return new Map();
  const rows = await runSql<{ serviceId: string; rank: number }>(
    db,
    `select service_id as "serviceId", min(${serviceRank}) as rank
      from incidents join incident_services on incident_id = incidents.id
      where account_id = $1 and resolved_at is null and started_at < $2
        and service_id = any($3::uuid[]) and incidents.id is distinct from $4::uuid
      group by service_id`,
    [accountId, query.to, query.serviceIds, query.exceptId ?? null],
  );
  return new Map(
    rows.flatMap((row) => {
      const severity = severities[row.rank - 1];
      return severity === undefined ? [] : [[row.serviceId, severity] as const];
    }),
  );
}

/**
 * Counts the ongoing incidents of each status page. Each entry of `shown` contains a page and a
 * service that the page shows. Pages without an ongoing incident are absent from the result.
 */
export async function mapOngoingCounts(
  db: Database,
  accountId: string,
  query: {
    readonly shown: readonly { readonly pageId: string; readonly serviceId: string }[];
    readonly to: Date;
  },
): Promise<Map<string, number>> {
  const { shown, to } = query;
  const rows = await runSql<{ pageId: string; count: number }>(
    db,
    `select page_id as "pageId", count(distinct incident_id)::int as count
      from unnest($3::uuid[], $4::uuid[]) as shown (page_id, service_id)
      join incident_services using (service_id) join incidents on incident_id = incidents.id
      where account_id = $1 and resolved_at is null and started_at < $2
      group by page_id`,
    [accountId, to, shown.map(({ pageId }) => pageId), shown.map(({ serviceId }) => serviceId)],
  );
  return new Map(rows.map(({ pageId, count }) => [pageId, count]));
}

/** Lists ongoing incidents by start time, newest first, each with its newest update. */
export async function listOngoingIncidents(
  db: Database,
  accountId: string,
  limit: number,
): Promise<Incident[]> {
  const rows = await runSql<RecordRow>(
    db,
    `select ${recordColumns} from incidents where account_id = $1 and resolved_at is null
      order by started_at desc, id desc limit $2`,
    [accountId, limit],
  );
  return completeRecords(db, accountId, { records: rows.map(toRecord), updatesPerIncident: 1 });
}

/** Returns a public incident with all its updates. */
export async function findPublicIncident(
  db: Database,
  accountId: string,
  id: string,
): Promise<Incident | null> {
  const record = await findRecord(db, accountId, id);
  if (record === null) return null;
  const request = { records: [record], updatesPerIncident: maxUpdates };
  const [incident] = await completeRecords(db, accountId, request);
  return incident ?? null;
}

export interface CheckIncident {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly startedAt: Date;
  readonly resolvedAt: Date | null;
}

/**
 * Lists incidents that a check opened and incidents of services that follow the check, newest
 * first.
 */
export async function listIncidentsOfCheck(
  db: Database,
  accountId: string,
  query: {
    readonly checkId: string;
    readonly tags: readonly string[];
    readonly from: Date;
    readonly to: Date;
    readonly limit: number;
  },
): Promise<CheckIncident[]> {
  const serviceIds = await listServicesThatFollow(db, accountId, query);
  return runSql(
    db,
    `select id, name, severity, started_at as "startedAt", resolved_at as "resolvedAt"
      from incidents where account_id = $1 and ${overlaps("$2", "$3")}
        and (check_id = $4 or exists (select 1 from incident_services
          where incident_id = incidents.id and service_id = any($5::uuid[])))
      order by started_at desc, id desc limit $6`,
    [accountId, query.from, query.to, query.checkId, serviceIds, query.limit],
  );
}

/** Lists the incidents of an account that were open within a period, newest first. */
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

/** Maps services to their histories, computed from the given incidents and followed checks. */
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
  // The data of a service starts at its creation, or at its first incident if that is earlier. A
  // service that already existed when the period began has data for the whole period, so first
  // incidents are loaded only for younger services.
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

/**
 * Data of several services. The keys of the maps are service ids. `followed` contains the state of
 * the checks that the service follows. `days` contains how long the service spent in each state on
 * the last UTC days, oldest first.
 */
interface ServiceRecords {
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
