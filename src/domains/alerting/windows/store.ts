import type { Database } from "../../../platform/database.ts";
import type { MaintenanceWindow } from "../maintenance-window.ts";
import type { PlannedWindow } from "./planned-window.ts";

export { listWindowsOf } from "./schedule-store.ts";

type WindowColumns = {
  account_id: string;
  name: string;
  schedule: MaintenanceWindow;
  created_at: Date;
};
type WindowTables = {
  maintenance_windows: WindowColumns & { id: number; updated_at: Date | null };
};

const tables = (db: Database) => db.withTables<WindowTables>();
const columns = [
  "id",
  "name",
  "schedule",
  "created_at as createdAt",
  "updated_at as updatedAt",
] as const;

export async function insertWindow(
  db: Database,
  accountId: string,
  window: Omit<PlannedWindow, "id" | "updatedAt">,
): Promise<number> {
  const { id } = await db
    .withTables<{ maintenance_windows: WindowColumns & { id?: number } }>()
    .insertInto("maintenance_windows")
    .values({
      account_id: accountId,
      name: window.name,
      schedule: window.schedule,
      created_at: window.createdAt,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id ?? 0;
}

export async function findWindow(
  db: Database,
  accountId: string,
  id: number,
): Promise<PlannedWindow | null> {
  const row = await tables(db)
    .selectFrom("maintenance_windows")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

export async function listWindows(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly windows: PlannedWindow[]; readonly total: number }> {
  const windows = await tables(db)
    .selectFrom("maintenance_windows")
    .select(columns)
    .where("account_id", "=", accountId)
    .orderBy("id")
    .limit(query.limit)
    .offset(Math.max(0, query.page - 1) * query.limit)
    .execute();
  return { windows, total: await countWindows(db, accountId) };
}

export async function countWindows(db: Database, accountId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom("maintenance_windows")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Null when there is none to change. */
export async function updateWindow(
  db: Database,
  accountId: string,
  window: Omit<PlannedWindow, "createdAt">,
): Promise<PlannedWindow | null> {
  const row = await tables(db)
    .updateTable("maintenance_windows")
    .set({ name: window.name, schedule: window.schedule, updated_at: window.updatedAt })
    .where("account_id", "=", accountId)
    .where("id", "=", window.id)
    .returning(columns)
    .executeTakeFirst();
  return row ?? null;
}

export async function deleteWindow(
  db: Database,
  accountId: string,
  id: number,
): Promise<{ readonly name: string } | null> {
  const row = await tables(db)
    .deleteFrom("maintenance_windows")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .returning("name")
    .executeTakeFirst();
  return row ?? null;
}
