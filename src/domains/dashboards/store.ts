import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import { type CssWarning, findPageIdByName, listPageKeys, type PageKey } from "../sites/index.ts";
import { type Dashboard, type DashboardSettings, defaultSettings } from "./dashboard.ts";

interface DashboardRow {
  readonly id: number;
  readonly dashboard_id: string;
  readonly account_id: string;
  readonly settings: DashboardSettings;
  readonly css_warnings: readonly CssWarning[];
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date | null;
}

function toDashboard(row: DashboardRow): Dashboard {
  return {
    id: row.id,
    dashboardId: row.dashboard_id,
    accountId: row.account_id,
    // Some settings are absent in old rows.
    settings: { ...defaultSettings, ...row.settings },
    cssWarnings: row.css_warnings,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export type StoredDashboard = Dashboard & { readonly keys: readonly PageKey[] };

async function addKeys(
  db: Database,
  accountId: string,
  rows: readonly DashboardRow[],
): Promise<StoredDashboard[]> {
  const pageIds = rows.map((row) => row.dashboard_id);
  const keys = await listPageKeys(db, accountId, { pageKind: "dashboard", pageIds });
  const byPage = Map.groupBy(keys, ({ pageId }) => pageId);
  return rows.map((row) => ({
    ...toDashboard(row),
    keys: byPage.get(row.dashboard_id) ?? [],
  }));
}

export async function insertDashboard(
  db: Database,
  accountId: string,
  draft: Pick<Dashboard, "dashboardId" | "settings" | "cssWarnings" | "createdAt">,
): Promise<void> {
  await sql`insert into dashboards (account_id, dashboard_id, settings, css_warnings, created_at)
    values (${accountId}, ${draft.dashboardId}, ${JSON.stringify(draft.settings)}::jsonb,
      ${JSON.stringify(draft.cssWarnings)}::jsonb, ${draft.createdAt})`.execute(db);
}

export type DashboardLookup = "dashboardId" | "customUrl" | "customDomain";

const columnsOf: Readonly<Record<DashboardLookup, ReturnType<typeof sql>>> = {
  dashboardId: sql`d.dashboard_id`,
  customUrl: sql`lower(d.settings->>'customUrl')`,
  customDomain: sql`lower(d.settings->>'customDomain')`,
};

export async function findDashboard(
  db: Database,
  accountId: string,
  which: { readonly by: DashboardLookup; readonly value: string },
): Promise<StoredDashboard | null> {
  const { rows } = await sql<DashboardRow>`select d.* from dashboards d
    where d.account_id = ${accountId} and ${columnsOf[which.by]} = ${which.value.toLowerCase()}
    limit 1`.execute(db);
  const [found] = await addKeys(db, accountId, rows);
  return found ?? null;
}

/**
 * Increments the version for a change of the keys and locks the row. Returns false if it does not
 * exist.
 */
export async function raiseVersion(
  db: Database,
  accountId: string,
  dashboardId: string,
): Promise<boolean> {
  const { rows } = await sql`update dashboards set version = version + 1
    where account_id = ${accountId} and dashboard_id = ${dashboardId} returning 1`.execute(db);
  return rows.length > 0;
}

/** Locks the dashboard, so that concurrent updates are applied one after the other. */
export async function lockDashboard(
  db: Database,
  accountId: string,
  dashboardId: string,
): Promise<StoredDashboard | null> {
  const { rows } = await sql<DashboardRow>`select d.* from dashboards d
    where d.account_id = ${accountId} and d.dashboard_id = ${dashboardId}
    for update of d`.execute(db);
  const [found] = await addKeys(db, accountId, rows);
  return found ?? null;
}

export async function updateDashboard(
  db: Database,
  accountId: string,
  dashboard: Dashboard,
): Promise<void> {
  await sql`update dashboards set settings = ${JSON.stringify(dashboard.settings)}::jsonb,
      css_warnings = ${JSON.stringify(dashboard.cssWarnings)}::jsonb,
      version = ${dashboard.version}, updated_at = ${dashboard.updatedAt}
    where account_id = ${accountId} and dashboard_id = ${dashboard.dashboardId}`.execute(db);
}

export async function deleteDashboard(
  db: Database,
  accountId: string,
  dashboardId: string,
): Promise<{ readonly header: string } | null> {
  const { rows } = await sql<{ header: string }>`delete from dashboards
    where account_id = ${accountId} and dashboard_id = ${dashboardId}
    returning settings->>'header' as header`.execute(db);
  return rows[0] ?? null;
}

export async function listDashboards(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly dashboards: StoredDashboard[]; readonly total: number }> {
  const offset = Math.max(0, query.page - 1) * query.limit;
  const { rows } = await sql<DashboardRow>`select d.* from dashboards d
    where d.account_id = ${accountId} order by d.id limit ${query.limit} offset ${offset}`.execute(
    db,
  );
  const counted = await sql<{ total: number }>`select count(*) as total from dashboards
    where account_id = ${accountId}`.execute(db);
  const dashboards = await addKeys(db, accountId, rows);
  return { dashboards, total: counted.rows[0]?.total ?? 0 };
}

/** Finds a dashboard of any account by custom name or id, ignoring case, for visitors. */
export async function findDashboardByName(db: Database, name: string): Promise<Dashboard | null> {
  const dashboardId = await findPageIdByName(db, "dashboard", name);
  if (dashboardId === null) return null;
  const { rows } = await sql<DashboardRow>`select * from dashboards
    where dashboard_id = ${dashboardId}`.execute(db);
  return rows[0] === undefined ? null : toDashboard(rows[0]);
}
