import type { Generated, Selectable } from "kysely";
import type { Database } from "../../../platform/database.ts";

/** A saved view of a list: a name for its filters, sort order and columns. */
export interface SavedView {
  readonly id: number;
  readonly name: string;
  /** The query string of the list, without the question mark. */
  readonly query: string;
  readonly isShared: boolean;
  /** Owner of the view; `null` for a service key. */
  readonly userId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export interface ViewInput {
  readonly name?: string | undefined;
  readonly query?: string | undefined;
  readonly shared?: boolean | undefined;
}

export const maxSharedViews = 100;
export const maxOwnViews = 50;

interface ViewTable {
  id: Generated<number>;
  account_id: string;
  user_id: string | null;
  name: string;
  query: string;
  is_shared: boolean;
  created_at: Date;
  updated_at: Date | null;
}

const tables = (db: Database) => db.withTables<{ saved_views: ViewTable }>();

function toView(row: Selectable<ViewTable>): SavedView {
  return {
    id: row.id,
    name: row.name,
    query: row.query,
    isShared: row.is_shared,
    userId: row.user_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Selects shared views of the account and views of this person. */
const selectVisible = (db: Database, accountId: string, userId: string | null) =>
  tables(db)
    .selectFrom("saved_views")
    .selectAll()
    .where("account_id", "=", accountId)
    .where(({ or, eb }) =>
      or([eb("is_shared", "=", true), ...(userId === null ? [] : [eb("user_id", "=", userId)])]),
    );

/** Not paginated, because the number of views is limited. */
export async function listViews(
  db: Database,
  accountId: string,
  userId: string | null,
): Promise<SavedView[]> {
  const rows = await selectVisible(db, accountId, userId).orderBy("id").execute();
  return rows.map(toView);
}

export async function lockView(
  db: Database,
  accountId: string,
  { id, userId }: { readonly id: number; readonly userId: string | null },
): Promise<SavedView | null> {
  const row = await selectVisible(db, accountId, userId)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : toView(row);
}

export async function insertView(
  db: Database,
  accountId: string,
  view: Omit<SavedView, "id" | "updatedAt">,
): Promise<SavedView> {
  const row = await tables(db)
    .insertInto("saved_views")
    .values({
      account_id: accountId,
      user_id: view.userId,
      name: view.name,
      query: view.query,
      is_shared: view.isShared,
      created_at: view.createdAt,
      updated_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toView(row);
}

export async function updateView(db: Database, accountId: string, view: SavedView): Promise<void> {
  await tables(db)
    .updateTable("saved_views")
    .set({
      name: view.name,
      query: view.query,
      is_shared: view.isShared,
      updated_at: view.updatedAt,
    })
    .where("account_id", "=", accountId)
    .where("id", "=", view.id)
    .execute();
}

export async function deleteView(db: Database, accountId: string, id: number): Promise<void> {
  await tables(db)
    .deleteFrom("saved_views")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .execute();
}
