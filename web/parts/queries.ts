import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";

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

export const knownTagsQuery = queryOptions({
  queryKey: ["checks", "facets", "known-tags"],
  meta: { events: ["check", "check-group"] },
  queryFn: async ({ signal }) => {
    const { tag } = await send(api.GET("/v1/check-overviews/facets", { signal }));
    return tag.map(({ value }) => value);
  },
  staleTime: 60_000,
});
