import { type ColumnType, sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import { notFound } from "../../platform/errors.ts";
import { listServicesByIds, type Service, shownServicesQuery } from "../status-pages/index.ts";
import type {
  Incident,
  IncidentRecord,
  IncidentStatus,
  IncidentUpdate,
  OpenSpan,
  Severity,
} from "./incident.ts";
import { mapUpdates } from "./updates/store.ts";

const foreignKeyViolation = "23503";

type Pair = readonly [number, number | null];

export type IncidentTables = {
  incidents: {
    id: string;
    account_id: string;
    name: string;
    severity: Severity;
    status: IncidentStatus;
    started_at: Date;
    resolved_at: Date | null;
    acknowledged_at: Date | null;
    // Written as a JSON string: the driver would convert an array to a PostgreSQL array.
    open_spans: ColumnType<readonly Pair[], string, string>;
    check_id: string | null;
    alert_number: number | null;
    is_automatic: boolean;
    taken_over_at: Date | null;
    version: number;
    created_at: Date;
    updated_at: Date | null;
  };
  incident_services: { incident_id: string; service_id: string; position: number };
};

const tables = (db: Database) => db.withTables<IncidentTables>();
export const recordColumns = [
  "id",
  "account_id as accountId",
  "name",
  "severity",
  "status",
  "started_at as startedAt",
  "resolved_at as resolvedAt",
  "acknowledged_at as acknowledgedAt",
  "open_spans as openSpans",
  "check_id as checkId",
  "alert_number as alertNumber",
  "is_automatic as isAutomatic",
  "taken_over_at as takenOverAt",
  "version",
  "created_at as createdAt",
  "updated_at as updatedAt",
] as const;

type RecordRow = Omit<IncidentRecord, "openSpans"> & { readonly openSpans: readonly Pair[] };

export function toRecord(row: RecordRow): IncidentRecord {
  return { ...row, openSpans: toSpans(row.openSpans) };
}

export function toSpans(pairs: readonly Pair[]): OpenSpan[] {
  return pairs.map(([fromMs, toMs]) => ({ fromMs, toMs }));
}

function toStoredSpans(spans: readonly OpenSpan[]): string {
  return JSON.stringify(spans.map(({ fromMs, toMs }): Pair => [fromMs, toMs]));
}

/**
 * Returns false if the alert already has its incident, or if the check already controls an open
 * one.
 */
export async function insertIncident(
  db: Database,
  accountId: string,
  incident: IncidentRecord,
): Promise<boolean> {
  const row = await tables(db)
    .insertInto("incidents")
    .values({
      id: incident.id,
      account_id: accountId,
      name: incident.name,
      severity: incident.severity,
      status: incident.status,
      started_at: incident.startedAt,
      resolved_at: incident.resolvedAt,
      acknowledged_at: incident.acknowledgedAt,
      open_spans: toStoredSpans(incident.openSpans),
      check_id: incident.checkId,
      alert_number: incident.alertNumber,
      is_automatic: incident.isAutomatic,
      taken_over_at: incident.takenOverAt,
      version: incident.version,
      created_at: incident.createdAt,
      updated_at: incident.updatedAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function replaceServices(
  db: Database,
  accountId: string,
  change: { readonly incidentId: string; readonly services: readonly Service[] },
): Promise<void> {
  const { incidentId } = change;
  await tables(db)
    .deleteFrom("incident_services")
    .using("incidents")
    .whereRef("incidents.id", "=", "incident_services.incident_id")
    .where("incidents.account_id", "=", accountId)
    .where("incident_id", "=", incidentId)
    .execute();
  const rows = change.services.map(({ id }, position) => ({
    incident_id: incidentId,
    service_id: id,
    position,
  }));
  try {
    await tables(db).insertInto("incident_services").values(rows).execute();
  } catch (error) {
    // The service was deleted by a concurrent request.
    if ((error as { code?: string }).code === foreignKeyViolation) throw notFound();
    throw error;
  }
}

const selectRecord = (db: Database, accountId: string, id: string) =>
  tables(db)
    .selectFrom("incidents")
    .select(recordColumns)
    .where("account_id", "=", accountId)
    .where("id", "=", id);

export async function findRecord(
  db: Database,
  accountId: string,
  id: string,
): Promise<IncidentRecord | null> {
  const row = await selectRecord(db, accountId, id).executeTakeFirst();
  return row === undefined ? null : toRecord(row);
}

/** Locks an incident and its updates until the transaction ends. */
export async function lockRecord(
  db: Database,
  accountId: string,
  id: string,
): Promise<IncidentRecord | null> {
  const row = await selectRecord(db, accountId, id).forUpdate().executeTakeFirst();
  return row === undefined ? null : toRecord(row);
}

export interface IncidentsQuery {
  readonly limit: number;
  readonly nextId?: string | undefined;
  readonly status?: "ongoing" | "resolved" | undefined;
  readonly serviceId?: string | undefined;
  readonly statusPageId?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly sort?: "written" | "started" | undefined;
}

/** Lists records, newest first. */
export async function listRecords(
  db: Database,
  accountId: string,
  query: IncidentsQuery,
): Promise<IncidentRecord[]> {
  const { nextId, status, serviceId, statusPageId, severity } = query;
  let select = tables(db)
    .selectFrom("incidents")
    .select(recordColumns)
    .where("account_id", "=", accountId)
    .limit(query.limit);
  if (query.sort === "started") select = select.orderBy("started_at", "desc");
  select = select.orderBy("id", "desc");
  if (nextId !== undefined && query.sort !== "started") select = select.where("id", "<=", nextId);
  if (nextId !== undefined && query.sort === "started") {
    select = select.where(sql<boolean>`(started_at, id) <= (select one.started_at, one.id
      from incidents as one where one.account_id = ${accountId} and one.id = ${nextId})`);
  }
  if (status !== undefined) {
    select = select.where("resolved_at", status === "ongoing" ? "is" : "is not", null);
  }
  if (serviceId !== undefined) {
    select = select.where("id", "in", (nested) =>
      nested
        .selectFrom("incident_services")
        .select("incident_id")
        .where("service_id", "=", serviceId),
    );
  }
  if (severity !== undefined) select = select.where("severity", "=", severity);
  if (statusPageId !== undefined) {
    select = select.where(sql<boolean>`exists (select 1 from incident_services as affected
      join (${sql.raw(shownServicesQuery)}) as shown on shown.service_id = affected.service_id
      where affected.incident_id = incidents.id and shown.page_id = ${statusPageId})`);
  }
  return (await select.execute()).map(toRecord);
}

export interface ActivityQuery {
  readonly limit: number;
  readonly status?: "ongoing" | "resolved" | undefined;
  readonly serviceId?: string | undefined;
  /** Open at some time in this period; `null` for no bound. */
  readonly from: Date | null;
  readonly to: Date | null;
}

/** Lists records by their newest public update, newest first. */
export async function listRecordsByActivity(
  db: Database,
  accountId: string,
  { limit, status, serviceId, from, to }: ActivityQuery,
): Promise<IncidentRecord[]> {
  const isOngoing = status === undefined ? null : status === "ongoing";
  const affected = serviceId ?? null;
  const isAffected = sql<boolean>`(${affected}::uuid is null or exists (
    select 1 from incident_services where incident_id = incidents.id and service_id = ${affected}))`;
  const rows = await tables(db)
    .selectFrom("incidents")
    .select(recordColumns)
    .where("account_id", "=", accountId)
    .where(sql<boolean>`(${isOngoing}::bool is null or (resolved_at is null) = ${isOngoing})`)
    .where(sql<boolean>`(${from}::timestamptz is null or coalesce(resolved_at >= ${from}, true))`)
    .where(sql<boolean>`(${to}::timestamptz is null or started_at < ${to})`)
    .where(isAffected)
    .orderBy(
      sql`coalesce((select max(public_at) from incident_updates where incident_id = incidents.id),
        created_at)`,
      "desc",
    )
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toRecord);
}

/** Call it for every change of a locked incident, its updates or its services. */
export async function saveIncident(
  db: Database,
  accountId: string,
  incident: IncidentRecord,
): Promise<IncidentRecord> {
  const version = incident.version + 1;
  await tables(db)
    .updateTable("incidents")
    .set({
      name: incident.name,
      severity: incident.severity,
      status: incident.status,
      started_at: incident.startedAt,
      resolved_at: incident.resolvedAt,
      acknowledged_at: incident.acknowledgedAt,
      open_spans: toStoredSpans(incident.openSpans),
      taken_over_at: incident.takenOverAt,
      version,
      updated_at: incident.updatedAt,
    })
    .where("account_id", "=", accountId)
    .where("id", "=", incident.id)
    .execute();
  return { ...incident, version };
}

export async function deleteIncident(db: Database, accountId: string, id: string): Promise<void> {
  await tables(db)
    .deleteFrom("incidents")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .execute();
}

/** Maps incidents to their services, in the order in which they were named. */
export async function mapServices(
  db: Database,
  accountId: string,
  incidentIds: readonly string[],
): Promise<Map<string, Service[]>> {
  if (incidentIds.length === 0) return new Map();
  const links = await tables(db)
    .selectFrom("incident_services")
    .select(["incident_id as incidentId", "service_id as serviceId"])
    .where("incident_id", "in", [...incidentIds])
    .orderBy("position")
    .execute();
  const ids = [...new Set(links.map(({ serviceId }) => serviceId))];
  const services = await listServicesByIds(db, accountId, ids);
  const byId = new Map(services.map((service) => [service.id, service]));
  const found = new Map<string, Service[]>(incidentIds.map((id) => [id, []]));
  for (const { incidentId, serviceId } of links) {
    const service = byId.get(serviceId);
    if (service !== undefined) found.get(incidentId)?.push(service);
  }
  return found;
}

/** Loads the services and the newest updates of each record. */
export async function completeRecords(
  db: Database,
  accountId: string,
  request: { readonly records: readonly IncidentRecord[]; readonly updatesPerIncident: number },
): Promise<Incident[]> {
  const incidentIds = request.records.map(({ id }) => id);
  const services = await mapServices(db, accountId, incidentIds);
  const limit = request.updatesPerIncident;
  const updates = await mapUpdates(db, accountId, { incidentIds, limit });
  const none: readonly IncidentUpdate[] = [];
  return request.records.map((record) => ({
    ...record,
    services: services.get(record.id) ?? [],
    updates: updates.get(record.id) ?? none,
  }));
}

/** Finds and locks the open incident that is controlled by the check; there is at most one. */
export async function lockOwnIncident(
  db: Database,
  accountId: string,
  checkId: string,
): Promise<IncidentRecord | null> {
  const row = await db
    .withTables<IncidentTables>()
    .selectFrom("incidents")
    .select(recordColumns)
    .where("account_id", "=", accountId)
    .where("check_id", "=", checkId)
    .where("is_automatic", "=", true)
    .where("resolved_at", "is", null)
    .where("taken_over_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : toRecord(row);
}
