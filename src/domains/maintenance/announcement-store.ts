import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import type { DueAnnouncement } from "./due-announcement.ts";
import type { PlannedWindow } from "./planned-window.ts";
import { toPlannedWindow } from "./store.ts";

export interface DueWindow extends PlannedWindow {
  readonly accountId: string;
}

/** Returns a due window of any account, locked until the transaction ends. */
export async function takeDueWindow(db: Database, now: Date): Promise<DueWindow | null> {
  const { rows } = await sql<DueWindow>`
    select id, account_id as "accountId", name, description, schedule, visibility,
      created_at as "createdAt", updated_at as "updatedAt"
    from maintenance_windows where next_announcement_at <= ${now}
    order by next_announcement_at limit 1 for update skip locked`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  try {
    return { ...toPlannedWindow(row), accountId: row.accountId };
  } catch (error) {
    throw new BrokenWindow(row.id, error);
  }
}

/** A row that cannot be parsed. */
class BrokenWindow extends Error {
  readonly windowId: number;

  constructor(windowId: number, cause: unknown) {
    super("a maintenance window cannot be parsed", { cause });
    this.windowId = windowId;
  }
}

export function findBrokenWindow(error: unknown): number | null {
  return error instanceof BrokenWindow ? error.windowId : null;
}

export async function saveNextAnnouncement(
  db: Database,
  windowId: number,
  nextAt: Date | null,
): Promise<void> {
  await sql`update maintenance_windows set next_announcement_at = ${nextAt}
    where id = ${windowId}`.execute(db);
}

/** Returns false if the announcement was already sent. */
export async function recordAnnouncement(
  db: Database,
  windowId: number,
  record: { readonly announcement: DueAnnouncement; readonly at: Date },
): Promise<boolean> {
  const { kind, occurrence } = record.announcement;
  const { numAffectedRows } = await sql`
    insert into maintenance_announcements (window_id, occurrence_start, kind, announced_at)
    values (${windowId}, ${new Date(occurrence.startsAtMs)}, ${kind}, ${record.at})
    on conflict do nothing`.execute(db);
  return numAffectedRows === 1n;
}

export async function deleteAnnouncementsBefore(db: Database, before: Date): Promise<void> {
  await sql`delete from maintenance_announcements where announced_at < ${before}`.execute(db);
}
