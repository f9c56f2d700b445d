import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import { conflict } from "../../platform/errors.ts";
import type { PageKey } from "../sites/index.ts";
import type { CssWarning } from "./custom-css/filter.ts";
import type { Dashboard, DashboardSettings } from "./dashboard.ts";

interface KeyJson {
  readonly id: string;
  readonly last_four: string;
  readonly created_at: string;
  readonly updated_at: string | null;
}

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

export function toDashboard(row: DashboardRow): Dashboard {
  return {
    id: row.id,
    dashboardId: row.dashboard_id,
    accountId: row.account_id,
    settings: row.settings,
    cssWarnings: row.css_warnings,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toPageKey(key: KeyJson): PageKey {
  return {
    id: key.id,
    lastFour: key.last_four,
    createdAt: new Date(key.created_at),
    updatedAt: key.updated_at === null ? null : new Date(key.updated_at),
  };
}

export type StoredDashboard = Dashboard & { readonly keys: readonly PageKey[] };

/** With their keys, in one question however many dashboards there are. */
const withKeys = sql`d.*, coalesce((
    select jsonb_agg(jsonb_build_object('id', k.id, 'last_four', k.last_four,
      'created_at', k.created_at, 'updated_at', k.updated_at) order by k.id)
    from page_keys k where k.page_kind = 'dashboard' and k.page_id = d.dashboard_id
  ), '[]') as keys`;

type StoredRow = DashboardRow & { readonly keys: readonly KeyJson[] };
const toStored = (row: StoredRow): StoredDashboard => ({
  ...toDashboard(row),
  keys: row.keys.map(toPageKey),
});

export async function insertDashboard(
  db: Database,
  accountId: string,
  draft: Pick<Dashboard, "dashboardId" | "settings" | "cssWarnings" | "createdAt">,
): Promise<void> {
  await sql`insert into dashboards (account_id, dashboard_id, settings, css_warnings, created_at)
    values (${accountId}, ${draft.dashboardId}, ${JSON.stringify(draft.settings)}::jsonb,
      ${JSON.stringify(draft.cssWarnings)}::jsonb, ${draft.createdAt})`.execute(db);
  await sql`insert into dashboard_names (name, kind, dashboard_id)
    values (${draft.dashboardId}, 'id', ${draft.dashboardId})`.execute(db);
}

/**
 * From now on the address leads to this dashboard, in the place of the one it had before. Whoever
 * asks for one that is being taken waits, and is then told that it is taken.
 */
export async function claimUrl(
  db: Database,
  accountId: string,
  claim: { readonly dashboardId: string; readonly customUrl: string | null },
): Promise<void> {
  const name = claim.customUrl?.toLowerCase() ?? null;
  await sql`delete from dashboard_names n using dashboards d
    where n.dashboard_id = ${claim.dashboardId} and n.kind = 'url'
      and d.dashboard_id = n.dashboard_id and d.account_id = ${accountId}
      and n.name is distinct from ${name}::text`.execute(db);
  if (name === null) return;
  await sql`insert into dashboard_names (name, kind, dashboard_id)
    values (${name}, 'url', ${claim.dashboardId}) on conflict (name) do nothing`.execute(db);
  const { rows } = await sql<{ name: string }>`select name from dashboard_names
    where name = ${name} and kind = 'url' and dashboard_id = ${claim.dashboardId}`.execute(db);
  if (rows.length === 0) throw conflict(`customUrl ${claim.customUrl} is taken`);
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
  const { rows } = await sql<StoredRow>`select ${withKeys} from dashboards d
    where d.account_id = ${accountId} and ${columnsOf[which.by]} = ${which.value.toLowerCase()}
    limit 1`.execute(db);
  return rows[0] === undefined ? null : toStored(rows[0]);
}

/** For a change of its keys. False when it is not there; it stays until the transaction ends. */
export async function raiseVersion(
  db: Database,
  accountId: string,
  dashboardId: string,
): Promise<boolean> {
  const { rows } = await sql`update dashboards set version = version + 1
    where account_id = ${accountId} and dashboard_id = ${dashboardId} returning 1`.execute(db);
  return rows.length > 0;
}

/** Locked, so that of two updates at once the second builds on the first. */
export async function lockDashboard(
  db: Database,
  accountId: string,
  dashboardId: string,
): Promise<StoredDashboard | null> {
  const { rows } = await sql<StoredRow>`select ${withKeys} from dashboards d
    where d.account_id = ${accountId} and d.dashboard_id = ${dashboardId}
    for update of d`.execute(db);
  return rows[0] === undefined ? null : toStored(rows[0]);
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
  const { rows } = await sql<StoredRow>`select ${withKeys} from dashboards d
    where d.account_id = ${accountId} order by d.id limit ${query.limit} offset ${offset}`.execute(
    db,
  );
  const counted = await sql<{ total: number }>`select count(*) as total from dashboards
    where account_id = ${accountId}`.execute(db);
  return { dashboards: rows.map(toStored), total: counted.rows[0]?.total ?? 0 };
}
