/** Queries for visitors, who name no account. */
import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import { findPageIdByName } from "../sites/index.ts";
import type { Dashboard } from "./dashboard.ts";
import { toDashboard } from "./store.ts";

/** Finds a dashboard by custom name or id, ignoring case. */
export async function findDashboardByName(db: Database, name: string): Promise<Dashboard | null> {
  const dashboardId = await findPageIdByName(db, "dashboard", name);
  if (dashboardId === null) return null;
  const { rows } = await sql<Parameters<typeof toDashboard>[0]>`select * from dashboards
    where dashboard_id = ${dashboardId}`.execute(db);
  return rows[0] === undefined ? null : toDashboard(rows[0]);
}
