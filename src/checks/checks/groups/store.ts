import { type Database, runSql } from "../../../platform/database.ts";
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

const columns = "id, name, settings, variables, created_at, updated_at";

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
  const [row] = await runSql<GroupRow>(
    db,
    `insert into check_groups (account_id, name, settings, variables, created_at)
      values ($1, $2, $3, $4, $5) returning ${columns}`,
    [accountId, group.name, group.settings, JSON.stringify(group.variables), group.createdAt],
  );
  if (row === undefined) throw new Error("the group was not stored");
  return toGroup(row);
}

const selectGroup = `select ${columns} from check_groups where account_id = $1 and id = $2`;

export async function findGroup(
  db: Database,
  accountId: string,
  id: number,
): Promise<CheckGroup | null> {
  const [row] = await runSql<GroupRow>(db, selectGroup, [accountId, id]);
  return row === undefined ? null : toGroup(row);
}

/** Locks the group against changes, deletion and new checks until the transaction ends. */
export async function lockGroup(
  db: Database,
  accountId: string,
  id: number,
): Promise<CheckGroup | null> {
  const [row] = await runSql<GroupRow>(db, `${selectGroup} for update`, [accountId, id]);
  return row === undefined ? null : toGroup(row);
}

/**
 * Prevents deletion of the group until the transaction ends. A concurrent deletion waits, and is
 * then rejected if checks were added to the group.
 */
export async function holdGroup(
  db: Database,
  accountId: string,
  id: number,
): Promise<CheckGroup | null> {
  const [row] = await runSql<GroupRow>(db, `${selectGroup} for key share`, [accountId, id]);
  return row === undefined ? null : toGroup(row);
}

/** Prevents deletion of several groups, as `holdGroup` does for one. */
export async function holdGroups(
  db: Database,
  accountId: string,
  ids: readonly number[],
): Promise<Map<number, CheckGroup>> {
  if (ids.length === 0) return new Map();
  const rows = await runSql<GroupRow>(
    db,
    `select ${columns} from check_groups where account_id = $1 and id = any($2::int[])
      order by id for key share`,
    [accountId, ids],
  );
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
  const rows = await runSql<GroupRow>(
    db,
    `select ${columns} from check_groups where account_id = $1 order by id limit $2 offset $3`,
    [accountId, query.limit, Math.max(0, query.page - 1) * query.limit],
  );
  const [counted] = await runSql<{ total: number }>(
    db,
    "select count(*) as total from check_groups where account_id = $1",
    [accountId],
  );
  return { groups: rows.map(toGroup), total: counted?.total ?? 0 };
}

/** Returns the groups with the given ids, keyed by id. */
export async function mapGroups(
  db: Database,
  accountId: string,
  ids: readonly number[],
): Promise<Map<number, CheckGroup>> {
  if (ids.length === 0) return new Map();
  const text = `select ${columns} from check_groups where account_id = $1 and id = any($2::int[])`;
  const rows = await runSql<GroupRow>(db, text, [accountId, ids]);
  return new Map(rows.map((row) => [row.id, toGroup(row)]));
}

export async function updateGroup(
  db: Database,
  accountId: string,
  { id, name, settings, variables, updatedAt }: CheckGroup,
): Promise<void> {
  await runSql(
    db,
    `update check_groups set name = $3, settings = $4, variables = $5, updated_at = $6
      where account_id = $1 and id = $2`,
    [accountId, id, name, settings, JSON.stringify(variables), updatedAt],
  );
}

export async function countMembers(db: Database, accountId: string, id: number): Promise<number> {
  const text = "select count(*) as count from checks where account_id = $1 and group_id = $2";
  const [row] = await runSql<{ count: number }>(db, text, [accountId, id]);
  return row?.count ?? 0;
}

export async function deleteGroup(db: Database, accountId: string, id: number): Promise<void> {
  await runSql(db, "delete from check_groups where account_id = $1 and id = $2", [accountId, id]);
}
