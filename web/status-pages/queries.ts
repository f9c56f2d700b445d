import { queryOptions } from "@tanstack/react-query";
import type { EventName } from "../api/change.ts";
import { api, send, sendFull } from "../api/client.ts";
import { fetchAll } from "../api/fetch-all.ts";
import type { components } from "../api/schema.d.ts";
import type { Version } from "../editing/index.ts";

type Schemas = components["schemas"];
type Bodies = components["requestBodies"];

export type StatusPage = Schemas["StatusPage"];
export type StatusPageOverview = Schemas["StatusPageOverview"];
export type StatusPageInput = Bodies["StatusPageInput"]["content"]["application/json"];

async function fetchPages(signal: AbortSignal): Promise<readonly StatusPage[]> {
  const pages = await fetchAll<StatusPage>("status pages", ({ limit, nextId }) => {
    const query = { limit, ...(nextId !== null && { nextId }) };
    return send(api.GET("/v1/status-pages", { params: { query }, signal }));
  });
  return pages.sort((one, other) =>
    one.name.localeCompare(other.name, undefined, { numeric: true }),
  );
}

/** Events that invalidate status page queries, because they change a page or its content. */
export const pageEvents: readonly EventName[] = [
  "check",
  "incident",
  "incident-update",
  "maintenance-window",
  "service",
  "status-page",
  "subscription",
];

export const pagesQuery = queryOptions({
  queryKey: ["status-pages", "list"],
  meta: { events: pageEvents },
  queryFn: ({ signal }) => fetchPages(signal),
});

/** Fetches the state, address and counts of every status page, by page id. */
export const overviewsQuery = queryOptions({
  queryKey: ["status-pages", "overviews"],
  meta: { events: pageEvents },
  queryFn: async ({ signal }) => {
    const overviews = await send(api.GET("/v1/status-page-overviews", { signal }));
    return new Map(overviews.map((overview) => [overview.statusPageId, overview]));
  },
});

export type StoredPage = Version<StatusPage>;

export function fetchPage(statusPageId: string, signal?: AbortSignal): Promise<StoredPage> {
  const params = { path: { statusPageId } };
  const options = { params, ...(signal && { signal }) };
  return sendFull(api.GET("/v1/status-pages/{statusPageId}", options));
}

export function pageQuery(statusPageId: string) {
  return queryOptions({
    queryKey: ["status-pages", statusPageId, "page"],
    meta: { events: pageEvents },
    queryFn: ({ signal }) => fetchPage(statusPageId, signal),
  });
}
