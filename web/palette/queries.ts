import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { checkEvents } from "../api/change.ts";
import { api, send, sendFull } from "../api/client.ts";
import { fetchAll } from "../api/fetch-all.ts";

/** Maximum number of checks in the search results. */
export const maxChecks = 8;

export const variablesQuery = queryOptions({
  queryKey: ["variables", "found"],
  meta: { events: ["variable"] },
  queryFn: ({ signal }) =>
    fetchAll("variables", ({ limit, page }) =>
      sendFull(api.GET("/v1/variables", { params: { query: { limit, page } }, signal })),
    ),
});

export const openIncidentsQuery = queryOptions({
  queryKey: ["incidents", "found"],
  meta: { events: ["incident", "incident-update"] },
  queryFn: ({ signal }) =>
    send(
      api.GET("/v1/status-pages/incidents", {
        params: { query: { status: "ongoing", sort: "started", limit: 20 } },
        signal,
      }),
    ),
  staleTime: 30_000,
});

export const searchQuery = (search: string) =>
  queryOptions({
    queryKey: ["checks", "palette", search],
    meta: { events: checkEvents },
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/check-overviews", {
          params: { query: { search, limit: maxChecks, sort: "name", order: "asc", page: 1 } },
          signal,
        }),
      ),
    enabled: search !== "",
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
  });

export const windowsQuery = queryOptions({
  queryKey: ["maintenance", "found"],
  meta: { events: ["maintenance-window"] },
  queryFn: ({ signal }) =>
    fetchAll("maintenance windows", ({ limit, page }) =>
      sendFull(api.GET("/v1/maintenance-windows", { params: { query: { limit, page } }, signal })),
    ),
});
