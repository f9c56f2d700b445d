import { queryOptions } from "@tanstack/react-query";
import { checkEvents } from "../api/change.ts";
import { api, send, sendFull } from "../api/client.ts";
import { fetchAll } from "../api/fetch-all.ts";
import type { components } from "../api/schema.d.ts";
import type { Version } from "../editing/index.ts";

export type Group = components["schemas"]["CheckGroup"];
export type GroupChange =
  components["requestBodies"]["CheckGroupChange"]["content"]["application/json"];

async function fetchGroups(signal: AbortSignal): Promise<Group[]> {
  const groups = await fetchAll<Group>("groups", ({ limit, page }) =>
    sendFull(api.GET("/v1/check-groups", { params: { query: { limit, page } }, signal })),
  );
  return groups.sort((one, other) =>
    one.name.localeCompare(other.name, undefined, { numeric: true }),
  );
}

export const groupsQuery = queryOptions({
  queryKey: ["groups", "list"],
  meta: { events: ["check", "check-group"] },
  queryFn: ({ signal }) => fetchGroups(signal),
});

export function fetchGroup(id: number, signal?: AbortSignal): Promise<Version<Group>> {
  const params = { path: { id } };
  return sendFull(api.GET("/v1/check-groups/{id}", { params, ...(signal && { signal }) }));
}

export function groupQuery(id: number) {
  return queryOptions({
    queryKey: ["groups", id, "group"],
    meta: { events: ["check", "check-group"] },
    queryFn: ({ signal }) => fetchGroup(id, signal),
  });
}

/** Fetches the number of checks of each group, by group id. */
export const memberCountsQuery = queryOptions({
  queryKey: ["checks", "facets", "groups"],
  meta: { events: checkEvents },
  queryFn: async ({ signal }) => {
    const { groupId } = await send(api.GET("/v1/check-overviews/facets", { signal }));
    return new Map(groupId.map(({ value, count }) => [Number(value), count]));
  },
});

export function membersQuery(id: number) {
  const query = { groupId: [id], limit: 100, page: 1, sort: "state", order: "asc" } as const;
  return queryOptions({
    queryKey: ["checks", "list", "of-group", id],
    meta: { events: checkEvents },
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/check-overviews", {
          params: { query: { ...query, groupId: [id] } },
          signal,
        }),
      ),
  });
}

export const channelsQuery = queryOptions({
  queryKey: ["alert-channels", "of-groups"],
  meta: { events: ["alert-channel"] },
  queryFn: ({ signal }) =>
    fetchAll("channels", ({ limit, page }) =>
      sendFull(api.GET("/v1/alert-channels", { params: { query: { limit, page } }, signal })),
    ),
});

/** Fetches the number of checks of a group in each state. */
export function stateCountsQuery(id: number) {
  return queryOptions({
    queryKey: ["checks", "list", "states-of-group", id],
    meta: { events: checkEvents },
    queryFn: async ({ signal }) => {
      const params = { query: { groupId: [id] } };
      return (await send(api.GET("/v1/check-overviews/facets", { params, signal }))).state;
    },
  });
}
