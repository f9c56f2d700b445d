import { type Database, runSql } from "../../../platform/database.ts";
import type { IncidentUpdate, StatusChange } from "../incident.ts";

const columns = `id, incident_id as "incidentId", status, description, public_at as "publicAt",
  notify_subscribers as "notifySubscribers", author, number, created_at as "createdAt",
  updated_at as "updatedAt", (select count from notified_counts
    where source_id = incident_updates.id::text) as "notifiedCount"`;

/** Inserts updates one by one, because their numbers follow the order of writing. */
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

/** Lists all updates of an incident without their descriptions, unordered. */
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

/** Maps incidents to their newest updates, newest first. */
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
