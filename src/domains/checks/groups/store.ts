import type { ColumnType } from "kysely";
import type { Database } from "../../../platform/database.ts";
import type { StoredVariable } from "../../variables/index.ts";
import type { CheckGroup, GroupSettings } from "../check-group.ts";

export interface GroupRow {
  readonly id: number;
  readonly name: string;
  readonly settings: GroupSettings;
  readonly variables: readonly StoredVariable[];
  readonly created_at: Date | string;
  readonly updated_at: Date | string | null;
}

type GroupTables = {
  check_groups: {
    id: number;
    account_id: string;
    name: string;
    settings: GroupSettings;
    variables: ColumnType<readonly StoredVariable[], string, string>;
    created_at: Date;
    updated_at: Date | null;
  };
  checks: { group_id: number | null; account_id: string };
};

const tables = (db: Database) => db.withTables<GroupTables>();
const columns = ["id", "name", "settings", "variables", "created_at", "updated_at"] as const;

export function toGroup(row: GroupRow): CheckGroup {
  return {
    id: row.id,
    name: row.name,
    settings: row.settings,
    variables: row.variables,
    createdAt: new Date(row.created_at),
    updatedAt: row.updated_at === null ? null : new Date(row.updated_at),
  };
}

export async function insertGroup(
  db: Database,
  accountId: string,
  group: Omit<CheckGroup, "id" | "updatedAt">,
): Promise<CheckGroup> {
  const row = await db
    .withTables<{
      check_groups: Omit<GroupTables["check_groups"], "id" | "updated_at">;
    }>()
    .insertInto("check_groups")
    .values({
      account_id: accountId,
      name: group.name,
      settings: group.settings,
      variables: JSON.stringify(group.variables),
      created_at: group.createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toGroup(row as unknown as GroupRow);
}

const selectGroup = (db: Database, accountId: string, id: number) =>
  tables(db)
    .selectFrom("check_groups")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("id", "=", id);

export async function findGroup(
  db: Database,
  accountId: string,
  id: number,
): Promise<CheckGroup | null> {
  const row = await selectGroup(db, accountId, id).executeTakeFirst();
  return row === undefined ? null : toGroup(row);
}

/** Locks the group until the transaction ends: nobody else can change, delete or join it. */
export async function lockGroup(
  db: Database,
  accountId: string,
  id: number,
): Promise<CheckGroup | null> {
  const row = await selectGroup(db, accountId, id).forUpdate().executeTakeFirst();
  return row === undefined ? null : toGroup(row);
}

/** Locks the group against deletion: a delete waits for this transaction, then sees its members. */
export async function holdGroup(
  db: Database,
  accountId: string,
  id: number,
): Promise<CheckGroup | null> {
  const row = await selectGroup(db, accountId, id).forKeyShare().executeTakeFirst();
  return row === undefined ? null : toGroup(row);
}

/** As `holdGroup`, for several groups. */
export async function holdGroups(
  db: Database,
  accountId: string,
  ids: readonly number[],
): Promise<Map<number, CheckGroup>> {
  if (ids.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom("check_groups")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("id", "in", [...ids])
    .orderBy("id")
    .forKeyShare()
    .execute();
  return new Map(rows.map((row) => [row.id, toGroup(row)]));
}

export interface GroupsQuery {
  readonly limit: number;
  readonly page: number;
}

export async function listGroups(
  db: Database,
  accountId: string,
  query: GroupsQuery,
): Promise<{ readonly groups: CheckGroup[]; readonly total: number }> {
  const select = tables(db).selectFrom("check_groups").where("account_id", "=", accountId);
  const rows = await select
    .select(columns)
    .orderBy("id")
    .limit(query.limit)
    .offset(Math.max(0, query.page - 1) * query.limit)
    .execute();
  const { total } = await select
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return { groups: rows.map(toGroup), total };
}

/** Returns the groups with these ids, by id. */
export async function mapGroups(
  db: Database,
  accountId: string,
  ids: readonly number[],
): Promise<Map<number, CheckGroup>> {
  if (ids.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom("check_groups")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, toGroup(row)]));
}

export async function updateGroup(
  db: Database,
  accountId: string,
  group: CheckGroup,
): Promise<void> {
  await tables(db)
    .updateTable("check_groups")
    .set({
      name: group.name,
      settings: group.settings,
      variables: JSON.stringify(group.variables),
      updated_at: group.updatedAt,
    })
    .where("account_id", "=", accountId)
    .where("id", "=", group.id)
    .execute();
}

export async function countMembers(db: Database, accountId: string, id: number): Promise<number> {
  const { count } = await tables(db)
    .selectFrom("checks")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account_id", "=", accountId)
    .where("group_id", "=", id)
    .executeTakeFirstOrThrow();
  return count;
}

export async function deleteGroup(db: Database, accountId: string, id: number): Promise<void> {
  await tables(db)
    .deleteFrom("check_groups")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .execute();
}
