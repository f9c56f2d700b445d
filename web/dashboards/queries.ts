import { queryOptions } from "@tanstack/react-query";
import { api, send, sendFull } from "../api/client.ts";
import { fetchAll } from "../api/fetch-all.ts";
import type { components } from "../api/schema.d.ts";
import type { Version } from "../editing/index.ts";

export type Dashboard = components["schemas"]["Dashboard"];
export type DashboardChange =
  components["requestBodies"]["DashboardChange"]["content"]["application/json"];

async function fetchDashboards(signal: AbortSignal): Promise<readonly Dashboard[]> {
  const all = await fetchAll<Dashboard>("dashboards", ({ limit, page }) =>
    sendFull(api.GET("/v1/dashboards", { params: { query: { limit, page } }, signal })),
  );
  return all.sort((one, other) =>
    one.header.localeCompare(other.header, undefined, { numeric: true }),
  );
}

export const dashboardsQuery = queryOptions({
  queryKey: ["dashboards", "list"],
  meta: { events: ["dashboard"] },
  queryFn: ({ signal }) => fetchDashboards(signal),
});

export function fetchDashboard(
  dashboardId: string,
  signal?: AbortSignal,
): Promise<Version<Dashboard>> {
  const params = { path: { dashboardId } };
  return sendFull(api.GET("/v1/dashboards/{dashboardId}", { params, ...(signal && { signal }) }));
}

export function dashboardQuery(dashboardId: string) {
  return queryOptions({
    queryKey: ["dashboards", dashboardId, "dashboard"],
    meta: { events: ["dashboard"] },
    queryFn: ({ signal }) => fetchDashboard(dashboardId, signal),
  });
}

export function keysQuery(dashboardId: string) {
  return queryOptions({
    queryKey: ["dashboards", dashboardId, "keys"],
    meta: { events: ["dashboard"] },
    queryFn: ({ signal }) => {
      const params = { path: { dashboardId } };
      return send(api.GET("/v1/dashboards/{dashboardId}/keys", { params, signal }));
    },
  });
}

export function domainQuery(dashboardId: string) {
  return queryOptions({
    queryKey: ["dashboards", dashboardId, "domain"],
    meta: { events: ["dashboard"] },
    queryFn: ({ signal }) => {
      const params = { path: { dashboardId } };
      return send(api.GET("/v1/dashboards/{dashboardId}/domain", { params, signal }));
    },
  });
}

/** Returns the path of a dashboard on this server. */
export function addressOf({ customUrl, dashboardId }: Dashboard): string {
  return `/dashboards/${customUrl ?? dashboardId}`;
}
