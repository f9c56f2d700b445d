import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { createOrderedIds } from "../../../platform/ordered-id.ts";
import { writeCsvLine } from "../../../platform/text/escaping.ts";
import { containing } from "../../../platform/text/patterns.ts";
import type { Caller } from "../caller.ts";

/** An audit entry: action, target, actor and IP address. `changes` must never contain a secret. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly actor: { readonly type: string; readonly id: string | null; readonly name: string };
  readonly action: string;
  readonly target: {
    readonly type: string;
    readonly id: string;
    /** Name of the target; `null` if no audit entry or user has a name for it. */
    readonly name: string | null;
  };
  readonly changes: Readonly<Record<string, unknown>>;
  readonly address: string | null;
  readonly requestId: string | null;
}

interface AuditNote {
  /** Type of the target and a past participle, such as `api-key.created`. */
  readonly action: string;
  readonly targetId: string;
  readonly changes?: Readonly<Record<string, unknown>>;
  /** Changed objects, if one action changes several. `targetId` is then the id of the batch. */
  readonly items?: readonly AuditItem[];
}

/** One object of a batch, with the changes to this object. */
interface AuditItem {
  readonly id: string;
  readonly name: string;
  readonly [detail: string]: unknown;
}

/** Filters for audit entries. An entry must match all filters that are set. */
export interface AuditFilter {
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  readonly targetType?: string | undefined;
  readonly targetId?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly search?: string | undefined;
}

export const exportFormats = ["csv", "ndjson"] as const;

export type ExportFormat = (typeof exportFormats)[number];

interface EntryWriter {
  readonly contentType: string;
  readonly head: string;
  readonly writeEntry: (entry: AuditEntry) => string;
}

const columns: Readonly<Record<string, (entry: AuditEntry) => string | null>> = {
  at: ({ at }) => formatDateTime(at),
  action: ({ action }) => action,
  actorType: ({ actor }) => actor.type,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  targetType: ({ target }) => target.type,
  targetId: ({ target }) => target.id,
  targetName: ({ target }) => target.name,
  address: ({ address }) => address,
  requestId: ({ requestId }) => requestId,
  changes: ({ changes }) => JSON.stringify(changes),
  id: ({ id }) => id,
};

export const entryWriters: Readonly<Record<ExportFormat, EntryWriter>> = {
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    head: writeCsvLine(Object.keys(columns)),
    writeEntry: (entry) => writeCsvLine(Object.values(columns).map((read) => read(entry))),
  },
  ndjson: {
    contentType: "application/x-ndjson; charset=utf-8",
    head: "",
    writeEntry: (entry) => `${JSON.stringify({ ...entry, at: formatDateTime(entry.at) })}\n`,
  },
};

type Changes = Readonly<Record<string, unknown>>;

/** Fields of `changes` that may contain the name of the target. */
const nameFields = ["name", "email", "header", "title"] as const;

/**
 * Returns the name of the target from the changes of an entry. For a rename, returns the new name.
 */
function findNameInChanges(changes: Changes): string | null {
  for (const field of nameFields) {
    const value = changes[field];
    const named = typeof value === "object" && value !== null && "to" in value ? value.to : value;
    if (typeof named === "string" && named !== "") return named;
  }
  return null;
}

/** Returns the name of the target from one entry. The name of a session is the name of its user. */
function findOwnName(entry: {
  readonly targetType: string;
  readonly actorName: string;
  readonly changes: Changes;
}): string | null {
  return (
    findNameInChanges(entry.changes) ?? (entry.targetType === "session" ? entry.actorName : null)
  );
}

/** Creates ids in ascending order, because entries are listed in the order of their ids. */
const createEntryId = createOrderedIds();

/** The actor of a change: a caller, or the server itself. */
export interface AuditActor {
  readonly type: Caller["type"] | "SYSTEM";
  readonly credentialId: string | null;
  readonly label: string;
  readonly accountId: string;
  readonly address: string | null;
  readonly requestId: string | null;
}

type NewEntry = AuditNote & { readonly at: Date };

/**
 * Writes an audit entry. Must be called in the transaction of the change, so that either both are
 * stored or neither is.
 */
export async function writeAuditEntry(
  db: Database,
  actor: AuditActor,
  note: NewEntry,
): Promise<void> {
  await writeAuditEntries(db, actor, [note]);
}

/** Writes several audit entries. Must be called in the transaction of the changes. */
export async function writeAuditEntries(
  db: Database,
  actor: AuditActor,
  notes: readonly NewEntry[],
): Promise<void> {
  if (notes.length === 0) return;
  const entries = notes.map(({ at, action, targetId, changes, items }) => ({
    id: createEntryId(),
    at,
    action,
    targetId,
    changes: { ...changes, ...(items && { items }) },
    itemIds: items?.map(({ id }) => id) ?? null,
  }));
  await runSql(
    db,
    `insert into audit_entries (account_id, actor_type, actor_id, actor_name, address, request_id,
        id, at, action, target_type, target_id, changes, item_ids)
      select $1, $2, $3, $4, $5, $6, id, at, action, split_part(action, '.', 1), "targetId", changes,
        "itemIds"
      from jsonb_to_recordset($7::jsonb) as entry (id uuid, at timestamptz, action text,
        "targetId" text, changes jsonb, "itemIds" text[])`,
    [
      actor.accountId,
      actor.type,
      actor.credentialId,
      actor.label,
      actor.address,
      actor.requestId,
      JSON.stringify(entries),
    ],
  );
}

export interface AuditQuery extends AuditFilter {
  readonly limit: number;
  readonly nextId?: string | undefined;
}

interface NamedRow {
  readonly targetType: string;
  readonly targetId: string;
  readonly actorName: string;
  readonly changes: Changes;
}

const keyOf = ({ targetType, targetId }: NamedRow) => `${targetType} ${targetId}`;

/** Other types of objects whose ids are the targets of a type. An alert has the id of its check. */
const namedBy: Readonly<Record<string, string>> = { alert: "check" };

function nameOf(row: NamedRow, names: ReadonlyMap<string, string>): string | null {
  const type = namedBy[row.targetType] ?? "user";
  return findOwnName(row) ?? names.get(keyOf(row)) ?? names.get(`${type} ${row.targetId}`) ?? null;
}

const namedColumns = `target_type as "targetType", target_id as "targetId",
  actor_name as "actorName", changes`;

/**
 * Maps targets to their names, for entries that do not contain the name of their target. The names
 * come from the latest other entry about the target, which also works for deleted targets, or from
 * the users table.
 */
async function mapTargetNames(
  db: Database,
  accountId: string,
  rows: readonly NamedRow[],
): Promise<Map<string, string>> {
  const unnamed = rows.filter((row) => findOwnName(row) === null);
  if (unnamed.length === 0) return new Map();
  const ids = [...new Set(unnamed.map(({ targetId }) => targetId))];
  const known = await runSql<NamedRow>(
    db,
    `select distinct on (target_type, target_id) ${namedColumns} from audit_entries
      where account_id = $1 and target_id = any($2::text[]) and changes ?| $3::text[]
      order by target_type, target_id, id desc`,
    [accountId, ids, nameFields],
  );
  const batched = await runSql<{ key: string; name: string }>(
    db,
    `select concat(target_type, ' ', item ->> 'id') as key, item ->> 'name' as name
      from audit_entries, jsonb_array_elements(changes -> 'items') as item
      where account_id = $1 and item_ids && $2::text[] and item ->> 'id' = any($2)
      order by audit_entries.id`,
    [accountId, ids],
  );
  const users = await runSql<{ id: string; email: string }>(
    db,
    `select u.id, u.email from users u join members m on m.user_id = u.id
      where m.account_id = $1 and u.id::text = any($2::text[])`,
    [accountId, ids],
  );
  const names = new Map(users.map(({ id, email }) => [`user ${id}`, email]));
  for (const { key, name } of batched) names.set(key, name);
  for (const row of known) {
    const name = findNameInChanges(row.changes);
    if (name !== null) names.set(keyOf(row), name);
  }
  return names;
}

interface EntryRow extends NamedRow, Pick<AuditEntry, "id" | "at" | "action"> {
  readonly actorType: string;
  readonly actorId: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

export async function listAuditEntries(
  db: Database,
  accountId: string,
  { limit, nextId, action, actor, targetType, targetId, from, to, search }: AuditQuery,
): Promise<AuditEntry[]> {
  const pattern = search === undefined ? null : containing(search);
  const rows = await runSql<EntryRow>(
    db,
    `select id, at, action, actor_type as "actorType", actor_id as "actorId", address,
        request_id as "requestId", ${namedColumns}
      from audit_entries where account_id = $1
      and ($3::uuid is null or id <= $3)
      and ($4::text is null or action = $4)
      and ($5::text is null or actor_name = $5)
      and ($6::text is null or target_type = $6)
      and ($7::text is null or target_id = $7 or item_ids @> array[$7])
      and ($8::timestamptz is null or at >= $8)
      and ($9::timestamptz is null or at < $9)
      and ($10::text is null or concat_ws(' ', actor_name, action, target_id, address, request_id,
        changes::text) ilike $10)
      order by id desc limit $2`,
    [accountId, limit, nextId, action, actor, targetType, targetId, from, to, pattern],
  );
  const names = await mapTargetNames(db, accountId, rows);
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    actor: { type: row.actorType, id: row.actorId, name: row.actorName },
    action: row.action,
    target: { type: row.targetType, id: row.targetId, name: nameOf(row, names) },
    changes: row.changes,
    address: row.address,
    requestId: row.requestId,
  }));
}

/**
 * Lists the distinct values of a column in ascending order. `select distinct` would read every row.
 * This query instead jumps from each value to the next in the index.
 */
export async function listAuditValues(
  db: Database,
  accountId: string,
  { column, limit }: { readonly column: "action" | "actor_name"; readonly limit: number },
): Promise<string[]> {
  const rows = await runSql<{ value: string }>(
    db,
    `with recursive found as (
      (select ${column} as value from audit_entries where account_id = $1
        order by ${column} limit 1)
      union all
      select (select ${column} from audit_entries where account_id = $1
        and ${column} > found.value order by ${column} limit 1)
      from found where found.value is not null
    )
    select value from found where value is not null limit $2`,
    [accountId, limit],
  );
  return rows.map(({ value }) => value);
}

export async function deleteAuditEntriesBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from audit_entries where at < $1", [before]);
}

/** A change to one target, without the IP address of the actor. */
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
