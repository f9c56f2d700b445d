import { type Database, runSql } from "../../platform/database.ts";
import { isForeignKeyViolation } from "../../platform/database-errors.ts";
import { notFound } from "../../platform/errors.ts";
import { listServicesByIds, type Service } from "../../sites/status-pages/index.ts";
import type {
  Incident,
  IncidentRecord,
  IncidentUpdate,
  OpenSpan,
  Severity,
  StatusChange,
} from "./incident.ts";

export type Pair = readonly [number, number | null];

export const recordColumns = `id, account_id as "accountId", name, severity, status,
  started_at as "startedAt", resolved_at as "resolvedAt", acknowledged_at as "acknowledgedAt",
  open_spans as "openSpans", check_id as "checkId", alert_number as "alertNumber",
  is_automatic as "isAutomatic", taken_over_at as "takenOverAt", version,
  created_at as "createdAt", updated_at as "updatedAt"`;

export type RecordRow = Omit<IncidentRecord, "openSpans"> & { readonly openSpans: readonly Pair[] };

export function toRecord(row: RecordRow): IncidentRecord {
  return { ...row, openSpans: toSpans(row.openSpans) };
}

export function toSpans(pairs: readonly Pair[]): OpenSpan[] {
  return pairs.map(([fromMs, toMs]) => ({ fromMs, toMs }));
}

/** Converts spans to JSON text. The driver would convert the array to a PostgreSQL array. */
function toStoredSpans(spans: readonly OpenSpan[]): string {
  return JSON.stringify(spans.map(({ fromMs, toMs }): Pair => [fromMs, toMs]));
}

/**
 * Inserts an incident. Returns `false` if the alert of the incident already has an incident, or if
 * the check of the incident already controls an open incident.
 */
export async function insertIncident(
  db: Database,
  accountId: string,
  incident: IncidentRecord,
): Promise<boolean> {
  const rows = await runSql(
    db,
    `insert into incidents (id, account_id, name, severity, status, started_at, resolved_at,
        acknowledged_at, open_spans, check_id, alert_number, is_automatic, taken_over_at, version,
        created_at, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
      on conflict do nothing returning 1`,
    [
      incident.id,
      accountId,
      incident.name,
      incident.severity,
      incident.status,
      incident.startedAt,
      incident.resolvedAt,
      incident.acknowledgedAt,
      toStoredSpans(incident.openSpans),
      incident.checkId,
      incident.alertNumber,
      incident.isAutomatic,
      incident.takenOverAt,
      incident.version,
      incident.createdAt,
      incident.updatedAt,
    ],
  );
  return rows.length > 0;
}

/** A service that an incident affects. */
export interface AffectedService extends Service {
  /** Severity for this service; missing if it is the severity of the incident. */
  readonly severity?: Severity;
}

/** Replaces the services of an incident. A service that remains keeps its own severity. */
export async function replaceServices(
  db: Database,
  accountId: string,
  change: { readonly incidentId: string; readonly services: readonly AffectedService[] },
): Promise<void> {
  const ids = change.services.map(({ id }) => id);
  await runSql(
    db,
    `delete from incident_services using incidents
      where incidents.id = incident_services.incident_id and incidents.account_id = $1
        and incident_id = $2 and service_id <> all($3::uuid[])`,
    [accountId, change.incidentId, ids],
  );
  try {
    await runSql(
      db,
      `insert into incident_services (incident_id, service_id, severity, position)
        select $1, service_id, severity, position - 1
        from unnest($2::uuid[], $3::text[])
          with ordinality as named (service_id, severity, position)
        on conflict (incident_id, service_id) do update set position = excluded.position`,
      [change.incidentId, ids, change.services.map(({ severity }) => severity ?? null)],
    );
  } catch (error) {
    // A concurrent request has deleted one of the services.
    if (isForeignKeyViolation(error)) throw notFound();
    throw error;
  }
}

const selectRecord = `select ${recordColumns} from incidents where account_id = $1 and id = $2`;

export async function findRecord(
  db: Database,
  accountId: string,
  id: string,
): Promise<IncidentRecord | null> {
  const [row] = await runSql<RecordRow>(db, selectRecord, [accountId, id]);
  return row === undefined ? null : toRecord(row);
}

/** Locks an incident until the transaction ends. */
export async function lockRecord(
  db: Database,
  accountId: string,
  id: string,
): Promise<IncidentRecord | null> {
  const [row] = await runSql<RecordRow>(db, `${selectRecord} for update`, [accountId, id]);
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

/** Lists incidents without services and updates, newest first. */
export async function listRecords(
  db: Database,
  accountId: string,
  query: IncidentsQuery,
): Promise<IncidentRecord[]> {
  const { nextId, status, serviceId, statusPageId, severity, limit } = query;
  const isByStart = query.sort === "started";
  const page = isByStart
    ? `(started_at, id) <= (select one.started_at, one.id from incidents as one
        where one.account_id = $1 and one.id = $2)`
    : "id <= $2";
  const isOngoing = status === undefined ? null : status === "ongoing";
  const rows = await runSql<RecordRow>(
    db,
    `select ${recordColumns} from incidents where account_id = $1
      and ($2::uuid is null or ${page})
      and ($3::bool is null or (resolved_at is null) = $3)
      and ($4::uuid is null
        or id in (select incident_id from incident_services where service_id = $4))
      and ($5::text is null or severity = $5)
      and ($6::uuid is null or exists (select 1 from incident_services as affected
        join shown_services as shown on shown.service_id = affected.service_id
        where affected.incident_id = incidents.id and shown.page_id = $6))
      order by ${isByStart ? "started_at desc, id desc" : "id desc"} limit $7`,
    [accountId, nextId, isOngoing, serviceId, severity, statusPageId, limit],
  );
  return rows.map(toRecord);
}

export interface ActivityQuery {
  readonly limit: number;
  readonly status?: "ongoing" | "resolved" | undefined;
  readonly serviceId?: string | undefined;
  /** Start of the period during which incidents must have been open; `null` for no bound. */
  readonly from: Date | null;
  readonly to: Date | null;
}

/** Lists incidents by the public date of their newest update, newest first. */
export async function listRecordsByActivity(
  db: Database,
  accountId: string,
  { limit, status, serviceId, from, to }: ActivityQuery,
): Promise<IncidentRecord[]> {
  const isOngoing = status === undefined ? null : status === "ongoing";
  const rows = await runSql<RecordRow>(
    db,
    `select ${recordColumns} from incidents where account_id = $1
      and ($2::bool is null or (resolved_at is null) = $2)
      and ($3::timestamptz is null or coalesce(resolved_at >= $3, true))
      and ($4::timestamptz is null or started_at < $4)
      and ($5::uuid is null or exists (select 1 from incident_services
        where incident_id = incidents.id and service_id = $5))
      order by coalesce((select max(public_at) from incident_updates
        where incident_id = incidents.id), created_at) desc, id desc limit $6`,
    [accountId, isOngoing, from, to, serviceId, limit],
  );
  return rows.map(toRecord);
}

/** Saves a locked incident. Required after every change, also of its updates and services. */
export async function saveIncident(
  db: Database,
  accountId: string,
  incident: IncidentRecord,
): Promise<IncidentRecord> {
  const version = incident.version + 1;
  await runSql(
    db,
    `update incidents set name = $3, severity = $4, status = $5, started_at = $6, resolved_at = $7,
        acknowledged_at = $8, open_spans = $9, taken_over_at = $10, version = $11, updated_at = $12
      where account_id = $1 and id = $2`,
    [
      accountId,
      incident.id,
      incident.name,
      incident.severity,
      incident.status,
      incident.startedAt,
      incident.resolvedAt,
      incident.acknowledgedAt,
      toStoredSpans(incident.openSpans),
      incident.takenOverAt,
      version,
      incident.updatedAt,
    ],
  );
  return { ...incident, version };
}

export async function deleteIncident(db: Database, accountId: string, id: string): Promise<void> {
  await runSql(db, "delete from incidents where account_id = $1 and id = $2", [accountId, id]);
}

/** Maps incidents to their services, in the order of the request that named the services. */
export async function mapServices(
  db: Database,
  accountId: string,
  incidentIds: readonly string[],
): Promise<Map<string, Service[]>> {
  if (incidentIds.length === 0) return new Map();
  const links = await runSql<{ incidentId: string; serviceId: string }>(
    db,
    `select incident_id as "incidentId", service_id as "serviceId" from incident_services
      where incident_id = any($1::uuid[]) order by position`,
    [incidentIds],
  );
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

/** Loads the services and the newest updates of each incident. */
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

/** Finds and locks the open incident that a check controls. There is at most one. */
export async function lockOwnIncident(
  db: Database,
  accountId: string,
  checkId: string,
): Promise<IncidentRecord | null> {
  const [row] = await runSql<RecordRow>(
    db,
    `select ${recordColumns} from incidents where account_id = $1 and check_id = $2
      and is_automatic and resolved_at is null and taken_over_at is null for update`,
    [accountId, checkId],
  );
  return row === undefined ? null : toRecord(row);
}

const columns = `id, incident_id as "incidentId", status, description, public_at as "publicAt",
  notify_subscribers as "notifySubscribers", author, number, created_at as "createdAt",
  updated_at as "updatedAt", (select count from notified_counts
    where source_id = incident_updates.id::text) as "notifiedCount"`;

/** Inserts updates one after the other, so that their numbers are in the order of writing. */
export async function insertUpdates(
  db: Database,
  accountId: string,
  updates: readonly Omit<IncidentUpdate, "number" | "updatedAt" | "notifiedCount">[],
): Promise<IncidentUpdate[]> {
  const written: IncidentUpdate[] = [];
  for (const update of updates) {
    const rows = await runSql<IncidentUpdate>(
      db,
      `insert into incident_updates (id, account_id, incident_id, status, description, public_at,
          notify_subscribers, author, created_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${columns}`,
      [
        update.id,
        accountId,
        update.incidentId,
        update.status,
        update.description,
        update.publicAt,
        update.notifySubscribers,
        update.author,
        update.createdAt,
      ],
    );
    written.push(...rows);
  }
  return written;
}

/** Lists all updates of an incident without their descriptions, in no particular order. */
export function listStatusChanges(
  db: Database,
  accountId: string,
  incidentId: string,
): Promise<(StatusChange & { readonly id: string })[]> {
  return runSql(
    db,
    `select id, status, public_at as "publicAt", number, author from incident_updates
      where account_id = $1 and incident_id = $2`,
    [accountId, incidentId],
  );
}

/** Maps incidents to their newest updates, sorted with the newest first. */
export async function mapUpdates(
  db: Database,
  accountId: string,
  query: { readonly incidentIds: readonly string[]; readonly limit: number },
): Promise<Map<string, IncidentUpdate[]>> {
  const found = new Map<string, IncidentUpdate[]>();
  if (query.incidentIds.length === 0) return found;
  const rows = await runSql<IncidentUpdate>(
    db,
    `select newest.* from unnest($2::uuid[]) as requested (incident_id)
      cross join lateral (select ${columns} from incident_updates
        where account_id = $1 and incident_updates.incident_id = requested.incident_id
        order by public_at desc, number desc limit $3) as newest
      order by newest."publicAt" desc, newest.number desc`,
    [accountId, query.incidentIds, query.limit],
  );
  for (const row of rows) {
    const list = found.get(row.incidentId);
    if (list === undefined) found.set(row.incidentId, [row]);
    else list.push(row);
  }
  return found;
}

export async function findUpdate(
  db: Database,
  accountId: string,
  place: { readonly incidentId: string; readonly id: string },
): Promise<IncidentUpdate | null> {
  const [row] = await runSql<IncidentUpdate>(
    db,
    `select ${columns} from incident_updates
      where account_id = $1 and incident_id = $2 and id = $3`,
    [accountId, place.incidentId, place.id],
  );
  return row ?? null;
}

export async function saveUpdate(
  db: Database,
  accountId: string,
  { id, status, description, publicAt, updatedAt }: IncidentUpdate,
): Promise<void> {
  await runSql(
    db,
    `update incident_updates set status = $3, description = $4, public_at = $5, updated_at = $6
      where account_id = $1 and id = $2`,
    [accountId, id, status, description, publicAt, updatedAt],
  );
}

export async function deleteUpdate(db: Database, accountId: string, id: string): Promise<void> {
  const text = "delete from incident_updates where account_id = $1 and id = $2";
  await runSql(db, text, [accountId, id]);
}
