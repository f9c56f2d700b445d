/** For those who are no callers: whoever knows a dashboard's name may ask for it. */
import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import type { Dashboard } from "./dashboard.ts";
import { toDashboard } from "./store.ts";

/** Bounds what a server holds in memory to find a dashboard by its host. */
const maxHosts = 100_000;

/** By its own address or its id, in whichever case it is written. */
export async function findDashboardByName(db: Database, name: string): Promise<Dashboard | null> {
  const { rows } = await sql<Parameters<typeof toDashboard>[0]>`select d.* from dashboard_names n
    join dashboards d on d.dashboard_id = n.dashboard_id
    where n.name = ${name.toLowerCase()}`.execute(db);
  return rows[0] === undefined ? null : toDashboard(rows[0]);
}

export interface DashboardHost {
  readonly accountId: string;
  readonly dashboardId: string;
  /** The label below the service's own domain; null without one. */
  readonly url: string | null;
  readonly domain: string | null;
}

/** Where dashboards are found by host, for whoever routes requests by it. */
export async function listDashboardHosts(db: Database): Promise<DashboardHost[]> {
  const { rows } = await sql<DashboardHost>`select d.account_id as "accountId",
      d.dashboard_id as "dashboardId", n.name as url, p.domain
    from dashboards d
    left join dashboard_names n on n.dashboard_id = d.dashboard_id and n.kind = 'url'
    left join page_domains p on p.page_kind = 'dashboard' and p.page_id = d.dashboard_id
    where n.name is not null or p.domain is not null
    order by d.id limit ${maxHosts}`.execute(db);
  return rows;
}
