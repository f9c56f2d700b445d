import { type Database, runSql } from "../../platform/database.ts";
import {
  hiddenFromPages,
  type PageVisibility,
  type PlannedWindow,
  type PublishedWindow,
} from "./planned-window.ts";

/** A combination of tags and group, with the number of checks that have it. */
export interface LabelSet {
  /** Tags of the checks, including the tags of their group. */
  readonly tags: readonly string[];
  readonly groupId: number | null;
  readonly count: number;
}

/** Lists the distinct combinations of tags and group, which are few, because checks share them. */
export function listLabelSets(db: Database, accountId: string): Promise<LabelSet[]> {
  return runSql(
    db,
    `select own.tags || coalesce(in_group.tags, '{}') as tags, own.group_id as "groupId", own.count
      from (select own_tags as tags, group_id, count(*) as count from checks_with_group
        where account_id = $1 group by own_tags, group_id) own
      left join group_labels in_group on in_group.id = own.group_id`,
    [accountId],
  );
}

export interface LabelledCheck extends Omit<LabelSet, "count"> {
  readonly id: string;
  readonly name: string;
}

export async function listLabelledChecks(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<LabelledCheck[]> {
  if (ids.length === 0) return [];
  return runSql(
    db,
    `select id, name, group_id as "groupId", tags from checks_with_group
      where account_id = $1 and id = any($2::uuid[]) order by sort_name, id`,
    [accountId, ids],
  );
}

export async function mapGroupNames(
  db: Database,
  accountId: string,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await runSql<{ id: number; name: string }>(
    db,
    "select id, name from group_labels where account_id = $1 and id = any($2::int[])",
    [accountId, ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

type WindowRow = Omit<PlannedWindow, "visibility"> & {
  readonly visibility: Partial<PageVisibility>;
};

/** Converts a row to a window. Fields that are missing in old rows get their defaults. */
export function toPlannedWindow(row: WindowRow): PlannedWindow {
  return { ...row, visibility: { ...hiddenFromPages, ...row.visibility } };
}

const columns = `id, name, description, schedule, visibility, created_at as "createdAt",
  updated_at as "updatedAt"`;

interface Announced {
  /** When the next announcement is due; `null` if no announcement follows. */
  readonly nextAnnouncementAt: Date | null;
}

export async function insertWindow(
  db: Database,
  accountId: string,
  window: Omit<PlannedWindow, "id" | "updatedAt"> & Announced,
): Promise<number> {
  const [row] = await runSql<{ id: number }>(
    db,
    `insert into maintenance_windows (account_id, name, description, schedule, visibility,
        next_announcement_at, created_at)
      values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    [
      accountId,
      window.name,
      window.description,
      window.schedule,
      window.visibility,
      window.nextAnnouncementAt,
      window.createdAt,
    ],
  );
  return row?.id ?? 0;
}

export async function findWindow(
  db: Database,
  accountId: string,
  id: number,
): Promise<PlannedWindow | null> {
  const text = `select ${columns} from maintenance_windows where account_id = $1 and id = $2`;
  const [row] = await runSql<WindowRow>(db, text, [accountId, id]);
  return row === undefined ? null : toPlannedWindow(row);
}

/** Locks a window, so that concurrent updates are processed one after the other. */
export async function findWindowForUpdate(
  db: Database,
  accountId: string,
  id: number,
): Promise<PlannedWindow | null> {
  const text = `select ${columns} from maintenance_windows where account_id = $1 and id = $2
    for update`;
  const [row] = await runSql<WindowRow>(db, text, [accountId, id]);
  return row === undefined ? null : toPlannedWindow(row);
}

export async function listWindows(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly windows: PlannedWindow[]; readonly total: number }> {
  const rows = await runSql<WindowRow>(
    db,
    `select ${columns} from maintenance_windows where account_id = $1
      order by id limit $2 offset $3`,
    [accountId, query.limit, Math.max(0, query.page - 1) * query.limit],
  );
  return { windows: rows.map(toPlannedWindow), total: await countWindows(db, accountId) };
}

const selectPublished = `select ${columns}, calendar_id as "calendarId", sequence
  from maintenance_windows where account_id = $1`;

type PublishedRow = WindowRow & Pick<PublishedWindow, "calendarId" | "sequence">;

function toPublishedWindow({ calendarId, sequence, ...row }: PublishedRow): PublishedWindow {
  return { ...toPlannedWindow(row), calendarId, sequence };
}

/** Lists the windows that status pages show. Their number is bounded by `maxWindows`. */
export async function listPublishedWindows(
  db: Database,
  accountId: string,
): Promise<PublishedWindow[]> {
  const text = `${selectPublished} and (visibility ->> 'enabled')::boolean order by id`;
  return (await runSql<PublishedRow>(db, text, [accountId])).map(toPublishedWindow);
}

/** Lists all windows of the account. Their number is bounded by `maxWindows`. */
export async function listEveryWindow(db: Database, accountId: string): Promise<PublishedWindow[]> {
  const rows = await runSql<PublishedRow>(db, `${selectPublished} order by id`, [accountId]);
  return rows.map(toPublishedWindow);
}

export async function findPublishedWindow(
  db: Database,
  accountId: string,
  id: number,
): Promise<PublishedWindow | null> {
  const [row] = await runSql<PublishedRow>(db, `${selectPublished} and id = $2`, [accountId, id]);
  return row === undefined ? null : toPublishedWindow(row);
}

export async function findPublishedWindowForUpdate(
  db: Database,
  accountId: string,
  id: number,
): Promise<PublishedWindow | null> {
  const text = `${selectPublished} and id = $2 for update`;
  const [row] = await runSql<PublishedRow>(db, text, [accountId, id]);
  return row === undefined ? null : toPublishedWindow(row);
}

export async function countWindows(db: Database, accountId: string): Promise<number> {
  const text = "select count(*) as count from maintenance_windows where account_id = $1";
  const [row] = await runSql<{ count: number }>(db, text, [accountId]);
  return row?.count ?? 0;
}

export async function updateWindow(
  db: Database,
  accountId: string,
  window: PlannedWindow & Announced,
): Promise<void> {
  await runSql(
    db,
    `update maintenance_windows set sequence = sequence + 1, name = $3, description = $4,
        schedule = $5, visibility = $6, next_announcement_at = $7, updated_at = $8
      where account_id = $1 and id = $2`,
    [
      accountId,
      window.id,
      window.name,
      window.description,
      window.schedule,
      window.visibility,
      window.nextAnnouncementAt,
      window.updatedAt,
    ],
  );
}

export async function deleteWindow(
  db: Database,
  accountId: string,
  id: number,
): Promise<{ readonly name: string } | null> {
  const text = "delete from maintenance_windows where account_id = $1 and id = $2 returning name";
  const [row] = await runSql<{ name: string }>(db, text, [accountId, id]);
  return row ?? null;
}
