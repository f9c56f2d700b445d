import { type SqlBool, sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import { listServicesThatFollow } from "../status-pages/index.ts";
import {
  type Incident,
  maxListedUpdates,
  maxUpdates,
  type Severity,
  severities,
} from "./incident.ts";
import {
  completeRecords,
  findRecord,
  type IncidentTables,
  recordColumns,
  toRecord,
} from "./store.ts";

const tables = (db: Database) => db.withTables<IncidentTables>();

/**
 * Matches incidents that were open at some time from `from` up to `to`. An incident resolved
 * immediately counts at its start. `resolved_at` is never before `started_at`, so the index on
 * resolved_at is sufficient.
 */
export const overlaps = (from: Date, to: Date) =>
  sql<SqlBool>`started_at < ${to} and (resolved_at is null or resolved_at >= ${from})
    and not (started_at < ${from} and resolved_at is not distinct from ${from})`;

export interface PublicIncidentsQuery {
  readonly serviceIds: readonly string[];
  readonly from: Date;
  readonly to: Date;
  readonly limit: number;
  /** Only ongoing or only resolved incidents; both if absent. */
  readonly only?: "ongoing" | "over" | undefined;
}

const rank = sql<number>`array_position(${[...severities]}::text[], severity::text)`;

/**
 * Lists the incidents of some services in a period, latest start first, each with its newest
 * updates. Ongoing incidents are ordered by severity, so that the limit never hides the worst.
 */
export async function listPublicIncidents(
  db: Database,
  accountId: string,
  query: PublicIncidentsQuery,
): Promise<Incident[]> {
  if (query.serviceIds.length === 0) return [];
  const { only } = query;
  let select = tables(db)
    .selectFrom("incidents")
    .select(recordColumns)
    .where("account_id", "=", accountId)
    .where(overlaps(query.from, query.to))
    .where("id", "in", (nested) =>
      nested
        .selectFrom("incident_services")
        .select("incident_id")
        .where("service_id", "in", [...query.serviceIds]),
    )
    .limit(query.limit);
  if (only !== undefined) {
    select = select.where("resolved_at", only === "ongoing" ? "is" : "is not", null);
  }
  if (only === "ongoing") select = select.orderBy(rank);
  const rows = await select.orderBy("started_at", "desc").orderBy("id", "desc").execute();
  const records = rows.map(toRecord);
  return completeRecords(db, accountId, { records, updatesPerIncident: maxListedUpdates });
}

/** Maps services to their worst ongoing severity; services without an incident are absent. */
export async function mapOngoingSeverities(
  db: Database,
  accountId: string,
  query: { readonly serviceIds: readonly string[]; readonly to: Date },
): Promise<Map<string, Severity>> {
  if (query.serviceIds.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom("incidents")
    .innerJoin("incident_services", "incident_id", "incidents.id")
    .select("service_id as serviceId")
    .select(sql<number>`min(${rank})`.as("rank"))
    .where("account_id", "=", accountId)
    .where("resolved_at", "is", null)
    .where("started_at", "<", query.to)
    .where("service_id", "in", [...query.serviceIds])
    .groupBy("service_id")
    .execute();
  return new Map(
    rows.flatMap((row) => {
      const severity = severities[row.rank - 1];
      return severity === undefined ? [] : [[row.serviceId, severity] as const];
    }),
  );
}

/** Lists ongoing incidents, latest start first, each with its newest update. */
export async function listOngoingIncidents(
  db: Database,
  accountId: string,
  limit: number,
): Promise<Incident[]> {
  const rows = await tables(db)
    .selectFrom("incidents")
    .select(recordColumns)
    .where("account_id", "=", accountId)
    .where("resolved_at", "is", null)
    .orderBy("started_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
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

/** Lists incidents that the check opened and those of services that follow it, latest first. */
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
  const { rows } = await sql<CheckIncident>`select id, name, severity, started_at as "startedAt",
      resolved_at as "resolvedAt" from incidents
    where account_id = ${accountId} and ${overlaps(query.from, query.to)}
      and (check_id = ${query.checkId} or exists (select 1 from incident_services
        where incident_id = incidents.id and service_id = any(${serviceIds}::uuid[])))
    order by started_at desc, id desc limit ${query.limit}`.execute(db);
  return rows;
}
