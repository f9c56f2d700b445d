import { type SqlBool, sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import { type Incident, maxListedUpdates, maxUpdates } from "./incident.ts";
import {
  completeRecords,
  findRecord,
  type IncidentTables,
  recordColumns,
  toRecord,
} from "./store.ts";

const tables = (db: Database) => db.withTables<IncidentTables>();

/**
 * Open at some moment from `from` up to `to`; what was resolved at once lies at its only moment.
 * Nothing is resolved before it starts, so the index by resolution finds it all.
 */
export const overlaps = (from: Date, to: Date) =>
  sql<SqlBool>`started_at < ${to} and (resolved_at is null or resolved_at >= ${from})
    and not (started_at < ${from} and resolved_at is not distinct from ${from})`;

export interface PublicIncidentsQuery {
  readonly serviceIds: readonly string[];
  readonly from: Date;
  readonly to: Date;
  readonly limit: number;
}

/**
 * What a page tells of some services and some stretch of time, the latest beginning first, each
 * with its newest updates.
 */
export async function listPublicIncidents(
  db: Database,
  accountId: string,
  query: PublicIncidentsQuery,
): Promise<Incident[]> {
  if (query.serviceIds.length === 0) return [];
  const rows = await tables(db)
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
    .orderBy("started_at", "desc")
    .orderBy("id", "desc")
    .limit(query.limit)
    .execute();
  const records = rows.map(toRecord);
  return completeRecords(db, accountId, { records, updatesPerIncident: maxListedUpdates });
}

/** With all its updates. */
export async function findPublicIncident(
  db: Database,
  accountId: string,
  id: string,
): Promise<Incident | null> {
  const record = await findRecord(db, accountId, id);
  if (record === null) return null;
  const wanted = { records: [record], updatesPerIncident: maxUpdates };
  const [incident] = await completeRecords(db, accountId, wanted);
  return incident ?? null;
}
