import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { checkEvents } from "../api/change.ts";
import { api, send, sendFull } from "../api/client.ts";
import { fetchAll } from "../api/fetch-all.ts";

const maxFound = 20;

/** Query that searches the account's checks by name, target or tag. */
export const foundChecksQuery = (search: string) =>
  queryOptions({
    queryKey: ["checks", "found", search],
    meta: { events: ["check"] },
    queryFn: ({ signal }) => {
      const query = { limit: maxFound, page: 1, sort: "name", order: "asc" } as const;
      const params = { query: search === "" ? query : { ...query, search } };
      return send(api.GET("/v1/check-overviews", { params, signal }));
    },
    placeholderData: keepPreviousData,
  });

export const checkNameQuery = (id: string) =>
  queryOptions({
    queryKey: ["checks", id, "name"],
    meta: { events: ["check"] },
    queryFn: async ({ signal }) => {
      const check = await send(api.GET("/v1/checks/{id}", { params: { path: { id } }, signal }));
      return check.name;
    },
    staleTime: 60_000,
  });

/** Fetches the tags of all checks with their number of checks, most frequent tag first. */
export const tagsQuery = queryOptions({
  queryKey: ["checks", "facets", "tags"],
  meta: { events: ["check", "check-group"] },
  queryFn: async ({ signal }) => {
    const { tag } = await send(api.GET("/v1/check-overviews/facets", { signal }));
    return tag;
  },
  staleTime: 60_000,
});

/** Fetches the state of a check. The query is polled in case the event stream is interrupted. */
export const checkStatusQuery = (checkId: string) =>
  queryOptions({
    queryKey: ["checks", checkId, "status"],
    meta: { events: checkEvents },
    queryFn: ({ signal }) =>
      send(api.GET("/v1/check-statuses/{checkId}", { params: { path: { checkId } }, signal })),
    refetchInterval: 60_000,
  });

/** Fetches all groups, to select a group by name. */
export const groupNamesQuery = queryOptions({
  queryKey: ["groups", "names"],
  meta: { events: ["check-group"] },
  queryFn: ({ signal }) =>
    fetchAll("groups", ({ limit, page }) =>
      sendFull(api.GET("/v1/check-groups", { params: { query: { limit, page } }, signal })),
    ),
  staleTime: 60_000,
});

/** Fetches the names of all status pages, to select pages by name. */
export const pageNamesQuery = queryOptions({
  queryKey: ["status-pages", "names"],
  meta: { events: ["status-page"] },
  queryFn: async ({ signal }) => {
    const pages = await fetchAll("status pages", ({ limit, nextId }) => {
      const query = { limit, ...(nextId !== null && { nextId }) };
      return send(api.GET("/v1/status-pages", { params: { query }, signal }));
    });
    return pages.map(({ id, name }) => ({ id, name }));
  },
  staleTime: 60_000,
});
