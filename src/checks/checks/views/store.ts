import { type Database, runSql } from "../../../platform/database.ts";

/** A saved view of a list: a name for its filters, sort order and columns. */
export interface SavedView {
  readonly id: number;
  readonly name: string;
  /** The query string of the list, without the question mark. */
  readonly query: string;
  readonly isShared: boolean;
  /** Id of the person who saved the view; `null` if a service key saved it. */
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

const columns = `id, name, query, is_shared as "isShared", user_id as "userId",
  created_at as "createdAt", updated_at as "updatedAt"`;

/** SQL that selects the shared views of the account ($1) and the own views of a person ($2). */
const selectVisible = `select ${columns} from saved_views
  where account_id = $1 and (is_shared or user_id = $2)`;

/** Lists the views that a person sees. Not paginated, because the number of views is limited. */
export function listViews(
  db: Database,
  accountId: string,
  userId: string | null,
): Promise<SavedView[]> {
  return runSql(db, `${selectVisible} order by id`, [accountId, userId]);
}

export async function lockView(
  db: Database,
  accountId: string,
  { id, userId }: { readonly id: number; readonly userId: string | null },
): Promise<SavedView | null> {
  const text = `${selectVisible} and id = $3 for update`;
  const [row] = await runSql<SavedView>(db, text, [accountId, userId, id]);
  return row ?? null;
}

export async function insertView(
  db: Database,
  accountId: string,
  view: Omit<SavedView, "id" | "updatedAt">,
): Promise<SavedView> {
  const [row] = await runSql<SavedView>(
    db,
    `insert into saved_views (account_id, user_id, name, query, is_shared, created_at)
      values ($1, $2, $3, $4, $5, $6) returning ${columns}`,
    [accountId, view.userId, view.name, view.query, view.isShared, view.createdAt],
  );
  if (row === undefined) throw new Error("the view was not stored");
  return row;
}

export async function updateView(db: Database, accountId: string, view: SavedView): Promise<void> {
  await runSql(
    db,
    `update saved_views set name = $3, query = $4, is_shared = $5, updated_at = $6
      where account_id = $1 and id = $2`,
    [accountId, view.id, view.name, view.query, view.isShared, view.updatedAt],
  );
}

export async function deleteView(db: Database, accountId: string, id: number): Promise<void> {
  await runSql(db, "delete from saved_views where account_id = $1 and id = $2", [accountId, id]);
}
