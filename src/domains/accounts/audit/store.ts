import type { Database } from "../../../platform/database.ts";
import { createOrderedIds } from "../../../platform/ordered-id.ts";
import type { Caller } from "../caller.ts";
import type { AuditEntry, AuditNote } from "./audit-entry.ts";

type AuditTables = {
  audit_entries: {
    id: string;
    account_id: string;
    at: Date;
    actor_type: string;
    actor_id: string | null;
    actor_name: string;
    action: string;
    target_type: string;
    target_id: string;
    changes: Record<string, unknown>;
    address: string | null;
    request_id: string | null;
  };
};

/** The log is read in the order of its ids. */
const createEntryId = createOrderedIds();

/** A caller, or the system itself. */
export interface AuditActor {
  readonly type: Caller["type"] | "SYSTEM";
  readonly credentialId: string | null;
  readonly label: string;
  readonly accountId: string;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** Called in the transaction of the write it speaks of: neither is ever there without the other. */
export async function writeAuditEntry(
  db: Database,
  actor: AuditActor,
  note: AuditNote & { readonly at: Date },
): Promise<void> {
  const [targetType = ""] = note.action.split(".");
  await db
    .withTables<AuditTables>()
    .insertInto("audit_entries")
    .values({
      id: createEntryId(),
      account_id: actor.accountId,
      at: note.at,
      actor_type: actor.type,
      actor_id: actor.credentialId,
      actor_name: actor.label,
      action: note.action,
      target_type: targetType,
      target_id: note.targetId,
      changes: note.changes ?? {},
      address: actor.address,
      request_id: actor.requestId,
    })
    .execute();
}

export interface AuditQuery {
  readonly limit: number;
  readonly nextId?: string | undefined;
  readonly action?: string | undefined;
}

export async function listAuditEntries(
  db: Database,
  accountId: string,
  query: AuditQuery,
): Promise<AuditEntry[]> {
  let select = db
    .withTables<AuditTables>()
    .selectFrom("audit_entries")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("id", "desc")
    .limit(query.limit);
  if (query.nextId !== undefined) select = select.where("id", "<=", query.nextId);
  if (query.action !== undefined) select = select.where("action", "=", query.action);
  const rows = await select.execute();
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    action: row.action,
    target: { type: row.target_type, id: row.target_id },
    changes: row.changes,
    address: row.address,
    requestId: row.request_id,
  }));
}

export async function deleteAuditEntriesBefore(db: Database, moment: Date): Promise<void> {
  await db.withTables<AuditTables>().deleteFrom("audit_entries").where("at", "<", moment).execute();
}
