import { type Database, runSql } from "../../../platform/database.ts";
import type { OccurrenceStatus } from "../maintenance-window.ts";
import type { OccurrenceUpdate } from "../occurrence.ts";

const columns = `id, occurrence_index as index, status, description,
  notify_subscribers as "notifySubscribers", created_at as "createdAt",
  previous_status as "previousStatus", previous_starts_at as "previousStartsAt",
  previous_ends_at as "previousEndsAt", adjusted_starts_at as "startsAt",
  adjusted_ends_at as "endsAt"`;

export async function insertUpdate(
  db: Database,
  windowId: number,
  update: OccurrenceUpdate,
): Promise<void> {
  await runSql(
    db,
    `insert into maintenance_updates (id, window_id, occurrence_index, status, description,
        notify_subscribers, created_at, previous_status, previous_starts_at, previous_ends_at,
        adjusted_starts_at, adjusted_ends_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      update.id,
      windowId,
      update.index,
      update.status,
      update.description,
      update.notifySubscribers,
      update.createdAt,
      update.previousStatus,
      update.previousStartsAt,
      update.previousEndsAt,
      update.startsAt,
      update.endsAt,
    ],
  );
}

/** Lists the updates of occurrences, newest first. An occurrence has at most `maxUpdates`. */
export async function listUpdates(
  db: Database,
  windowId: number,
  indexes: readonly number[],
): Promise<OccurrenceUpdate[]> {
  if (indexes.length === 0) return [];
  return runSql<OccurrenceUpdate>(
    db,
    `select ${columns} from maintenance_updates
      where window_id = $1 and occurrence_index = any($2::int[]) order by created_at desc, id desc`,
    [windowId, indexes],
  );
}

/** Maps `<window>-<index>` to the newest update text of that occurrence, in Markdown. */
export async function mapNewestTexts(
  db: Database,
  windowIds: readonly number[],
): Promise<Map<string, string>> {
  if (windowIds.length === 0) return new Map();
  const rows = await runSql<{ key: string; description: string }>(
    db,
    `select distinct on (window_id, occurrence_index)
        window_id || '-' || occurrence_index as key, description
      from maintenance_updates where window_id = any($1::int[])
      order by window_id, occurrence_index, created_at desc, id desc`,
    [windowIds],
  );
  return new Map(rows.map(({ key, description }) => [key, description]));
}

export async function changeUpdate(
  db: Database,
  windowId: number,
  change: {
    readonly id: string;
    readonly index: number;
    readonly description: string;
    readonly status: OccurrenceStatus | null;
  },
): Promise<OccurrenceUpdate | null> {
  const rows = await runSql<OccurrenceUpdate>(
    db,
    `update maintenance_updates
      set description = $1, status = coalesce($2, status)
      where window_id = $3 and occurrence_index = $4 and id = $5 returning ${columns}`,
    [change.description, change.status, windowId, change.index, change.id],
  );
  return rows[0] ?? null;
}

export async function deleteUpdate(
  db: Database,
  windowId: number,
  { id, index }: { readonly id: string; readonly index: number },
): Promise<boolean> {
  const rows = await runSql(
    db,
    `delete from maintenance_updates where window_id = $1 and occurrence_index = $2 and id = $3
      returning 1`,
    [windowId, index, id],
  );
  return rows.length > 0;
}

export async function deleteUpdatesOf(db: Database, windowId: number): Promise<void> {
  await runSql(db, "delete from maintenance_updates where window_id = $1", [windowId]);
}
