import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import type { MaintenanceWindow } from "./maintenance-window.ts";
import type { PlannedWindow, PublishedWindow } from "./planned-window.ts";
import { hiddenFromPages, type PageVisibility } from "./planned-window.ts";

type WindowColumns = {
  account_id: string;
  name: string;
  description: string | null;
  schedule: MaintenanceWindow;
  visibility: Partial<PageVisibility>;
  next_announcement_at: Date | null;
  created_at: Date;
};
type WindowTables = {
  maintenance_windows: WindowColumns & {
    id: number;
    updated_at: Date | null;
    calendar_id: string;
    sequence: number;
  };
};

type WindowRow = Omit<PlannedWindow, "visibility"> & {
  readonly visibility: Partial<PageVisibility>;
};

/** Fields that are absent in old rows get their defaults. */
export function toPlannedWindow(row: WindowRow): PlannedWindow {
  return { ...row, visibility: { ...hiddenFromPages, ...row.visibility } };
}

const tables = (db: Database) => db.withTables<WindowTables>();
const columns = [
  "id",
  "name",
  "description",
  "schedule",
  "visibility",
  "created_at as createdAt",
  "updated_at as updatedAt",
] as const;

interface Announced {
  /** When the next announcement is due. */
  readonly nextAnnouncementAt: Date | null;
}

export async function insertWindow(
  db: Database,
  accountId: string,
  window: Omit<PlannedWindow, "id" | "updatedAt"> & Announced,
): Promise<number> {
  const { id } = await db
    .withTables<{ maintenance_windows: WindowColumns & { id?: number } }>()
    .insertInto("maintenance_windows")
    .values({
      account_id: accountId,
      name: window.name,
      description: window.description,
      schedule: window.schedule,
      visibility: window.visibility,
      next_announcement_at: window.nextAnnouncementAt,
      created_at: window.createdAt,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id ?? 0;
}

const selectWindow = (db: Database, accountId: string, id: number) =>
  tables(db)
    .selectFrom("maintenance_windows")
    .select(columns)
    .where("account_id", "=", accountId)
    .where("id", "=", id);

export async function findWindow(
  db: Database,
  accountId: string,
  id: number,
): Promise<PlannedWindow | null> {
  const row = await selectWindow(db, accountId, id).executeTakeFirst();
  return row === undefined ? null : toPlannedWindow(row);
}

/** Locks the window, so that concurrent updates are applied one after the other. */
export async function findWindowForUpdate(
  db: Database,
  accountId: string,
  id: number,
): Promise<PlannedWindow | null> {
  const row = await selectWindow(db, accountId, id).forUpdate().executeTakeFirst();
  return row === undefined ? null : toPlannedWindow(row);
}

export async function listWindows(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly windows: PlannedWindow[]; readonly total: number }> {
  const rows = await tables(db)
    .selectFrom("maintenance_windows")
    .select(columns)
    .where("account_id", "=", accountId)
    .orderBy("id")
    .limit(query.limit)
    .offset(Math.max(0, query.page - 1) * query.limit)
    .execute();
  return { windows: rows.map(toPlannedWindow), total: await countWindows(db, accountId) };
}

const publishedColumns = [...columns, "calendar_id as calendarId", "sequence"] as const;

const selectPublished = (db: Database, accountId: string) =>
  tables(db)
    .selectFrom("maintenance_windows")
    .select(publishedColumns)
    .where("account_id", "=", accountId);

type PublishedRow = WindowRow & Pick<PublishedWindow, "calendarId" | "sequence">;

function toPublishedWindow({ calendarId, sequence, ...row }: PublishedRow): PublishedWindow {
  return { ...toPlannedWindow(row), calendarId, sequence };
}

/** Lists windows that pages show; bounded by `maxWindows`. */
export async function listPublishedWindows(
  db: Database,
  accountId: string,
): Promise<PublishedWindow[]> {
  const rows = await selectPublished(db, accountId)
    .where(sql<boolean>`(visibility ->> 'enabled')::boolean`)
    .orderBy("id")
    .execute();
  return rows.map(toPublishedWindow);
}

/** Lists all windows of the account; bounded by `maxWindows`. */
export async function listEveryWindow(db: Database, accountId: string): Promise<PublishedWindow[]> {
  const rows = await selectPublished(db, accountId).orderBy("id").execute();
  return rows.map(toPublishedWindow);
}

export async function findPublishedWindow(
  db: Database,
  accountId: string,
  id: number,
): Promise<PublishedWindow | null> {
  const row = await selectPublished(db, accountId).where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : toPublishedWindow(row);
}

export async function findPublishedWindowForUpdate(
  db: Database,
  accountId: string,
  id: number,
): Promise<PublishedWindow | null> {
  const select = selectPublished(db, accountId).where("id", "=", id).forUpdate();
  const row = await select.executeTakeFirst();
  return row === undefined ? null : toPublishedWindow(row);
}

export async function countWindows(db: Database, accountId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom("maintenance_windows")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function updateWindow(
  db: Database,
  accountId: string,
  window: PlannedWindow & Announced,
): Promise<void> {
  await tables(db)
    .updateTable("maintenance_windows")
    .set((the) => ({
      sequence: the("sequence", "+", 1),
      name: window.name,
      description: window.description,
      schedule: window.schedule,
      visibility: window.visibility,
      next_announcement_at: window.nextAnnouncementAt,
      updated_at: window.updatedAt,
    }))
    .where("account_id", "=", accountId)
    .where("id", "=", window.id)
    .execute();
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
