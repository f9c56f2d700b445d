import { type Generated, sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import { notifiedCountQuery } from "../../subscribers/index.ts";
import type { IncidentStatus, IncidentUpdate, StatusChange } from "../incident.ts";

type UpdateTables = {
  incident_updates: {
    id: string;
    account_id: string;
    incident_id: string;
    status: IncidentStatus;
    description: string;
    public_at: Date;
    notify_subscribers: boolean;
    author: string | null;
    number: Generated<number>;
    created_at: Date;
    updated_at: Date | null;
  };
};

const tables = (db: Database) => db.withTables<UpdateTables>();
const columns = [
  "id",
  "incident_id as incidentId",
  "status",
  "description",
  "public_at as publicAt",
  "notify_subscribers as notifySubscribers",
  "author",
  "number",
  "created_at as createdAt",
  "updated_at as updatedAt",
  sql.raw<number | null>(notifiedCountQuery("incident_updates.id")).as("notifiedCount"),
] as const;

/** Inserts updates one by one, because their numbers follow the order of writing. */
export async function insertUpdates(
  db: Database,
  accountId: string,
  updates: readonly Omit<IncidentUpdate, "number" | "updatedAt" | "notifiedCount">[],
): Promise<IncidentUpdate[]> {
  const written: IncidentUpdate[] = [];
  for (const update of updates) {
    const row = await tables(db)
      .insertInto("incident_updates")
      .values({
        id: update.id,
        account_id: accountId,
        incident_id: update.incidentId,
        status: update.status,
        description: update.description,
        public_at: update.publicAt,
        notify_subscribers: update.notifySubscribers,
        author: update.author,
        created_at: update.createdAt,
        updated_at: null,
      })
      .returning(columns)
      .executeTakeFirstOrThrow();
    written.push(row);
  }
  return written;
}

/** Lists all updates of an incident without their descriptions, unordered. */
export function listStatusChanges(
  db: Database,
  accountId: string,
  incidentId: string,
): Promise<(StatusChange & { readonly id: string })[]> {
  return tables(db)
    .selectFrom("incident_updates")
    .select(["id", "status", "public_at as publicAt", "number", "author"])
    .where("account_id", "=", accountId)
    .where("incident_id", "=", incidentId)
    .execute();
}

/** Maps incidents to their newest updates, newest first. */
export async function mapUpdates(
  db: Database,
  accountId: string,
  query: { readonly incidentIds: readonly string[]; readonly limit: number },
): Promise<Map<string, IncidentUpdate[]>> {
  const found = new Map<string, IncidentUpdate[]>();
  if (query.incidentIds.length === 0) return found;
  const rows = await tables(db)
    .selectFrom(
      sql<{ incident_id: string }>`unnest(${[...query.incidentIds]}::uuid[])`.as<"requested">(
        sql`requested(incident_id)`,
      ),
    )
    .innerJoinLateral(
      (lateral) =>
        lateral
          .selectFrom("incident_updates")
          .select(columns)
          .where("account_id", "=", accountId)
          .whereRef("incident_updates.incident_id", "=", "requested.incident_id")
          .orderBy("public_at", "desc")
          .orderBy("number", "desc")
          .limit(query.limit)
          .as("newest"),
      (join) => join.onTrue(),
    )
    .selectAll("newest")
    .orderBy("newest.publicAt", "desc")
    .orderBy("newest.number", "desc")
    .execute();
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
  const row = await tables(db)
    .selectFrom("incident_updates")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("incident_id", "=", place.incidentId)
    .where("id", "=", place.id)
    .executeTakeFirst();
  return row ?? null;
}

export async function saveUpdate(
  db: Database,
  accountId: string,
  update: IncidentUpdate,
): Promise<void> {
  await tables(db)
    .updateTable("incident_updates")
    .set({
      status: update.status,
      description: update.description,
      public_at: update.publicAt,
      updated_at: update.updatedAt,
    })
    .where("account_id", "=", accountId)
    .where("id", "=", update.id)
    .execute();
}

export async function deleteUpdate(db: Database, accountId: string, id: string): Promise<void> {
  await tables(db)
    .deleteFrom("incident_updates")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .execute();
}
