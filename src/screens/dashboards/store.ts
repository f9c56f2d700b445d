import { type Database, runSql } from "../../platform/database.ts";
import { findPageIdByName, listPageKeys, type PageKey } from "../../sites/publishing/index.ts";
import { type Dashboard, defaultSettings } from "./dashboard.ts";

const selectDashboards = `select id, dashboard_id as "dashboardId", account_id as "accountId",
    settings, css_warnings as "cssWarnings", version, created_at as "createdAt",
    updated_at as "updatedAt"
  from dashboards`;

/** Defaults of rows without a setting. Such rows are older than private dashboards. */
const oldDefaults = { ...defaultSettings, isPrivate: false };

/** Converts a row and adds defaults of newer settings, which old rows do not contain. */
function toDashboard(row: Dashboard): Dashboard {
  return { ...row, settings: { ...oldDefaults, ...row.settings } };
}

export type StoredDashboard = Dashboard & { readonly keys: readonly PageKey[] };

async function addKeys(
  db: Database,
  accountId: string,
  rows: readonly Dashboard[],
): Promise<StoredDashboard[]> {
  const pageIds = rows.map(({ dashboardId }) => dashboardId);
  const keys = await listPageKeys(db, accountId, { pageKind: "dashboard", pageIds });
  const byPage = Map.groupBy(keys, ({ pageId }) => pageId);
  return rows.map((row) => ({
    ...toDashboard(row),
    keys: byPage.get(row.dashboardId) ?? [],
  }));
}

export async function insertDashboard(
  db: Database,
  accountId: string,
  draft: Pick<Dashboard, "dashboardId" | "settings" | "cssWarnings" | "createdAt">,
): Promise<void> {
  await runSql(
    db,
    `insert into dashboards (account_id, dashboard_id, settings, css_warnings, created_at)
      values ($1, $2, $3::jsonb, $4::jsonb, $5)`,
    [
      accountId,
      draft.dashboardId,
      JSON.stringify(draft.settings),
      JSON.stringify(draft.cssWarnings),
      draft.createdAt,
    ],
  );
}

export type DashboardLookup = "dashboardId" | "customUrl" | "customDomain";

const columnsOf: Readonly<Record<DashboardLookup, string>> = {
  dashboardId: "dashboard_id",
  customUrl: "lower(settings ->> 'customUrl')",
  customDomain: "lower(settings ->> 'customDomain')",
};

export async function findDashboard(
  db: Database,
  accountId: string,
  which: { readonly by: DashboardLookup; readonly value: string },
): Promise<StoredDashboard | null> {
  const rows = await runSql<Dashboard>(
    db,
    `${selectDashboards} where account_id = $1 and ${columnsOf[which.by]} = $2 limit 1`,
    [accountId, which.value.toLowerCase()],
  );
  const [found] = await addKeys(db, accountId, rows);
  return found ?? null;
}

/** Locks a dashboard and increments its version. Returns false if it does not exist. */
export async function raiseVersion(
  db: Database,
  accountId: string,
  dashboardId: string,
): Promise<boolean> {
  const rows = await runSql(
    db,
    `update dashboards set version = version + 1
      where account_id = $1 and dashboard_id = $2 returning 1`,
    [accountId, dashboardId],
  );
  return rows.length > 0;
}

/** Locks the dashboard until the transaction ends, so that updates do not interleave. */
export async function lockDashboard(
  db: Database,
  accountId: string,
  dashboardId: string,
): Promise<StoredDashboard | null> {
  const rows = await runSql<Dashboard>(
    db,
    `${selectDashboards} where account_id = $1 and dashboard_id = $2 for update`,
    [accountId, dashboardId],
  );
  const [found] = await addKeys(db, accountId, rows);
  return found ?? null;
}

export async function updateDashboard(
  db: Database,
  accountId: string,
  dashboard: Dashboard,
): Promise<void> {
  await runSql(
    db,
    `update dashboards set settings = $1::jsonb, css_warnings = $2::jsonb,
        version = $3, updated_at = $4
      where account_id = $5 and dashboard_id = $6`,
    [
      JSON.stringify(dashboard.settings),
      JSON.stringify(dashboard.cssWarnings),
      dashboard.version,
      dashboard.updatedAt,
      accountId,
      dashboard.dashboardId,
    ],
  );
}

export async function deleteDashboard(
  db: Database,
  accountId: string,
  dashboardId: string,
): Promise<{ readonly header: string } | null> {
  const rows = await runSql<{ header: string }>(
    db,
    `delete from dashboards
      where account_id = $1 and dashboard_id = $2 returning settings->>'header' as header`,
    [accountId, dashboardId],
  );
  return rows[0] ?? null;
}

export async function listDashboards(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly dashboards: StoredDashboard[]; readonly total: number }> {
  const offset = Math.max(0, query.page - 1) * query.limit;
  const rows = await runSql<Dashboard>(
    db,
    `${selectDashboards} where account_id = $1 order by id limit $2 offset $3`,
    [accountId, query.limit, offset],
  );
  const counted = await runSql<{ total: number }>(
    db,
    "select count(*) as total from dashboards where account_id = $1",
    [accountId],
  );
  const dashboards = await addKeys(db, accountId, rows);
  return { dashboards, total: counted[0]?.total ?? 0 };
}

/** Finds a dashboard of any account for a visitor, by custom name or id, ignoring case. */
export async function findDashboardByName(db: Database, name: string): Promise<Dashboard | null> {
  const dashboardId = await findPageIdByName(db, "dashboard", name);
  if (dashboardId === null) return null;
  const text = `${selectDashboards} where dashboard_id = $1`;
  const [row] = await runSql<Dashboard>(db, text, [dashboardId]);
  return row === undefined ? null : toDashboard(row);
}
