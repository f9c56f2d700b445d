import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { checkEvents } from "../../api/change.ts";
import { api, type Schemas, send } from "../../api/client.ts";
import { type ListSearch, toFilter } from "./search.ts";

export type CheckOverview = Schemas["CheckOverview"];
export type SavedView = Schemas["SavedView"];

export const pageSize = 50;
/** Polling interval, in case the event stream is interrupted. */
const renewMs = 30_000;

/** Fetches a page of the list. Check changes invalidate all keys that start with "checks". */
export function pageQuery(search: ListSearch, page: number) {
  const { sort = "name" } = search;
  const order = search.order ?? ("asc" as const);
  const query = { ...toFilter(search), sort, order, limit: pageSize, page };
  return queryOptions<Page>({
    queryKey: ["checks", "list", query],
    meta: { events: checkEvents },
    queryFn: ({ signal }): Promise<Page> =>
      send(api.GET("/v1/check-overviews", { params: { query }, signal })),
    // While a page loads, its previous result is shown, but never the rows of another page.
    placeholderData: (before, query) =>
      query !== undefined && isOfPage(query, page) ? before : undefined,
    refetchInterval: renewMs,
  });
}

type Page = Schemas["CheckOverviewPage"];
interface Asked {
  readonly queryKey: readonly unknown[];
}

function isOfPage({ queryKey }: Asked, page: number): boolean {
  const requested = queryKey[2];
  return (
    typeof requested === "object" &&
    requested !== null &&
    "page" in requested &&
    requested.page === page
  );
}

export function facetsQuery(search: ListSearch) {
  const query = toFilter(search);
  return queryOptions({
    queryKey: ["checks", "list", "facets", query],
    meta: { events: checkEvents },
    queryFn: ({ signal }) =>
      send(api.GET("/v1/check-overviews/facets", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: renewMs,
  });
}

export const viewsQuery = queryOptions({
  queryKey: ["views"],
  meta: { events: ["view"] },
  queryFn: ({ signal }) => send(api.GET("/v1/views", { signal })),
});
