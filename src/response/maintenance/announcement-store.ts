import { type Database, runSql } from "../../platform/database.ts";
import type { DueAnnouncement } from "./due-announcement.ts";
import type { PlannedWindow } from "./planned-window.ts";
import { toPlannedWindow } from "./store.ts";

export interface DueWindow extends PlannedWindow {
  readonly accountId: string;
}

/** Locks and returns one window, of any account, whose announcement is due. */
export async function takeDueWindow(db: Database, now: Date): Promise<DueWindow | null> {
  const [row] = await runSql<DueWindow>(
    db,
    `select id, account_id as "accountId", name, description, schedule, visibility,
        created_at as "createdAt", updated_at as "updatedAt"
      from maintenance_windows where next_announcement_at <= $1
      order by next_announcement_at limit 1 for update skip locked`,
    [now],
  );
  if (row === undefined) return null;
  try {
    return { ...toPlannedWindow(row), accountId: row.accountId };
  } catch (error) {
    throw new BrokenWindow(row.id, error);
  }
}

/** Thrown if the row of a window cannot be parsed. */
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
  await runSql(db, "update maintenance_windows set next_announcement_at = $1 where id = $2", [
    nextAt,
    windowId,
  ]);
}

/** Records that an announcement is sent. Returns false if it was already recorded. */
export async function recordAnnouncement(
  db: Database,
  windowId: number,
  record: { readonly announcement: DueAnnouncement; readonly at: Date },
): Promise<boolean> {
  const { kind, occurrence } = record.announcement;
  const rows = await runSql(
    db,
    `insert into maintenance_announcements (window_id, occurrence_start, kind, announced_at)
      values ($1, $2, $3, $4) on conflict do nothing returning 1`,
    [windowId, new Date(occurrence.startsAtMs), kind, record.at],
  );
  return rows.length > 0;
}

export async function deleteAnnouncementsBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from maintenance_announcements where announced_at < $1", [before]);
}
