import { sql } from "kysely";
import { type Database, runPrepared } from "../../../platform/database.ts";
import { createOrderedIds } from "../../../platform/ordered-id.ts";
import { containing } from "../../../platform/text/patterns.ts";
import type { Caller } from "../caller.ts";
import type { AuditEntry, AuditFilter, AuditNote } from "./audit-entry.ts";

type Changes = Readonly<Record<string, unknown>>;

/** Fields of `changes` that contain the target's name. */
const nameFields = ["name", "email", "header", "title"] as const;

/** Returns the target's name from the entry itself; after a rename, the new name. */
function findNameInChanges(changes: Changes): string | null {
  for (const field of nameFields) {
    const value = changes[field];
    const named = typeof value === "object" && value !== null && "to" in value ? value.to : value;
    if (typeof named === "string" && named !== "") return named;
  }
  return null;
}

/** A session has no name; it is shown under the name of its user. */
function findOwnName(entry: {
  readonly targetType: string;
  readonly actorName: string;
  readonly changes: Changes;
}): string | null {
  return (
    findNameInChanges(entry.changes) ?? (entry.targetType === "session" ? entry.actorName : null)
  );
}

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
    /** `null` for an entry about one target. */
    item_ids: readonly string[] | null;
    address: string | null;
    request_id: string | null;
  };
};

/** Entries are listed in the order of their ids. */
const createEntryId = createOrderedIds();

/** A caller, or the server itself. */
export interface AuditActor {
  readonly type: Caller["type"] | "SYSTEM";
  readonly credentialId: string | null;
  readonly label: string;
  readonly accountId: string;
  readonly address: string | null;
  readonly requestId: string | null;
}

type NewEntry = AuditNote & { readonly at: Date };

function toRow(actor: AuditActor, note: NewEntry): AuditTables["audit_entries"] {
  const [targetType = ""] = note.action.split(".");
  return {
    id: createEntryId(),
    account_id: actor.accountId,
    at: note.at,
    actor_type: actor.type,
    actor_id: actor.credentialId,
    actor_name: actor.label,
    action: note.action,
    target_type: targetType,
    target_id: note.targetId,
    changes: { ...note.changes, ...(note.items && { items: note.items }) },
    item_ids: note.items?.map(({ id }) => id) ?? null,
    address: actor.address,
    request_id: actor.requestId,
  };
}

/**
 * Writes an audit entry. Call it in the transaction of the change, so that both are stored or
 * neither.
 */
export async function writeAuditEntry(
  db: Database,
  actor: AuditActor,
  note: NewEntry,
): Promise<void> {
  await writeAuditEntries(db, actor, [note]);
}

/** A PostgreSQL statement accepts at most 65,535 parameters. */
const maxEntriesAtOnce = 1_000;

/** Writes several audit entries in the transaction of the change. */
export async function writeAuditEntries(
  db: Database,
  actor: AuditActor,
  notes: readonly NewEntry[],
): Promise<void> {
  for (let at = 0; at < notes.length; at += maxEntriesAtOnce) {
    const rows = notes.slice(at, at + maxEntriesAtOnce).map((note) => toRow(actor, note));
    await db.withTables<AuditTables>().insertInto("audit_entries").values(rows).execute();
  }
}

export interface AuditQuery extends AuditFilter {
  readonly limit: number;
  readonly nextId?: string | undefined;
}

function selectEntries(db: Database, accountId: string, filter: AuditFilter) {
  const { action, actor, targetType, targetId, from, to, search } = filter;
  let select = db
    .withTables<AuditTables>()
    .selectFrom("audit_entries")
    .where("account_id", "=", accountId);
  if (action !== undefined) select = select.where("action", "=", action);
  if (actor !== undefined) select = select.where("actor_name", "=", actor);
  if (targetType !== undefined) select = select.where("target_type", "=", targetType);
  if (targetId !== undefined) {
    select = select.where(
      sql<boolean>`(target_id = ${targetId} or item_ids @> array[${targetId}::text])`,
    );
  }
  if (from !== undefined) select = select.where("at", ">=", from);
  if (to !== undefined) select = select.where("at", "<", to);
  if (search !== undefined) {
    select = select.where(
      sql<boolean>`concat_ws(' ', actor_name, action, target_id, address, request_id,
        changes::text) ilike ${containing(search)}`,
    );
  }
  return select;
}

type NamedRow = Pick<
  AuditTables["audit_entries"],
  "target_type" | "target_id" | "actor_name" | "changes"
>;

const keyOf = ({ target_type, target_id }: Pick<NamedRow, "target_type" | "target_id">) =>
  `${target_type} ${target_id}`;

function findOwn({ target_type, actor_name, changes }: NamedRow): string | null {
  return findOwnName({ targetType: target_type, actorName: actor_name, changes });
}

function nameOf(row: NamedRow, names: ReadonlyMap<string, string>): string | null {
  return findOwn(row) ?? names.get(keyOf(row)) ?? names.get(`user ${row.target_id}`) ?? null;
}

/**
 * Maps targets to their names: from the last entry that names the target, which also covers deleted
 * ones, or from the table of users.
 */
async function mapTargetNames(
  db: Database,
  accountId: string,
  rows: readonly NamedRow[],
): Promise<Map<string, string>> {
  const unnamed = rows.filter((row) => findOwn(row) === null);
  if (unnamed.length === 0) return new Map();
  const ids = [...new Set(unnamed.map(({ target_id }) => target_id))];
  const { rows: known } = await sql<NamedRow>`
    select distinct on (target_type, target_id) target_type, target_id, actor_name, changes
    from audit_entries where account_id = ${accountId} and target_id = any(${ids}::text[])
      and changes ?| ${[...nameFields]}::text[]
    order by target_type, target_id, id desc`.execute(db);
  const { rows: batched } = await sql<{ key: string; name: string }>`
    select concat(target_type, ' ', item ->> 'id') as key, item ->> 'name' as name
    from audit_entries, jsonb_array_elements(changes -> 'items') as item
    where account_id = ${accountId} and item_ids && ${ids}::text[]
      and item ->> 'id' = any(${ids}::text[])
    order by audit_entries.id`.execute(db);
  const { rows: users } = await sql<{ id: string; email: string }>`
    select u.id, u.email from users u join members m on m.user_id = u.id
    where m.account_id = ${accountId} and u.id::text = any(${ids}::text[])`.execute(db);
  const names = new Map(users.map(({ id, email }) => [`user ${id}`, email]));
  for (const { key, name } of batched) names.set(key, name);
  for (const row of known) {
    const name = findNameInChanges(row.changes);
    if (name !== null) names.set(keyOf(row), name);
  }
  return names;
}

export async function listAuditEntries(
  db: Database,
  accountId: string,
  query: AuditQuery,
): Promise<AuditEntry[]> {
  let select = selectEntries(db, accountId, query)
    .selectAll()
    .orderBy("id", "desc")
    .limit(query.limit);
  if (query.nextId !== undefined) select = select.where("id", "<=", query.nextId);
  const rows = await select.execute();
  const names = await mapTargetNames(db, accountId, rows);
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    action: row.action,
    target: { type: row.target_type, id: row.target_id, name: nameOf(row, names) },
    changes: row.changes,
    address: row.address,
    requestId: row.request_id,
  }));
}

/**
 * Lists the distinct values of a column, sorted. `select distinct` would read every row; this query
 * skips from one value to the next in the index.
 */
export async function listAuditValues(
  db: Database,
  accountId: string,
  { column, limit }: { readonly column: "action" | "actor_name"; readonly limit: number },
): Promise<string[]> {
  const name = sql.ref(column);
  const { rows } = await sql<{ value: string }>`
    with recursive found as (
      (select ${name} as value from audit_entries where account_id = ${accountId}
        order by ${name} limit 1)
      union all
      select (select ${name} from audit_entries where account_id = ${accountId}
        and ${name} > found.value order by ${name} limit 1)
      from found where found.value is not null
    )
    select value from found where value is not null limit ${limit}`.execute(db);
  return rows.map(({ value }) => value);
}

export async function deleteAuditEntriesBefore(db: Database, before: Date): Promise<void> {
  await db.withTables<AuditTables>().deleteFrom("audit_entries").where("at", "<", before).execute();
}

/** A change to one target, without the actor's IP address. */
export interface TargetChange {
  readonly id: string;
  readonly at: Date;
  readonly actorName: string;
  readonly action: string;
  readonly changes: Readonly<Record<string, unknown>>;
}

/** Lists the changes of one target, newest first. */
export function listTargetChanges(
  db: Database,
  accountId: string,
  query: {
    readonly targetId: string;
    readonly from: Date;
    readonly to: Date;
    readonly limit: number;
  },
): Promise<TargetChange[]> {
  return runPrepared<TargetChange>(db, {
    name: "list-target-changes",
    text: `select id, at, actor_name as "actorName", action, changes - 'items' as changes
      from audit_entries
      where account_id = $1 and (target_id = $2 or item_ids @> array[$2]) and at >= $3 and at < $4
      order by id desc limit $5`,
    values: [accountId, query.targetId, query.from, query.to, query.limit],
  });
}
