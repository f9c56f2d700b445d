import { queryOptions } from "@tanstack/react-query";
import { api, sendFull } from "../../api/client.ts";
import { fetchAll } from "../../api/fetch-all.ts";
import type { Version } from "../../editing/index.ts";
import type { Check } from "../../kinds/form-values.ts";

export async function fetchCheck(id: string): Promise<Version<Check>> {
  const call = api.GET("/v1/checks/{id}", { params: { path: { id } } });
  const { data, etag } = await sendFull(call);
  return { data, etag };
}

/** Fetches the stored check, and re-fetches it after each change event. */
export const storedCheckQuery = (id: string) =>
  queryOptions({
    queryKey: ["checks", id, "stored"],
    meta: { events: ["check", "check-group"] },
    queryFn: () => fetchCheck(id),
    staleTime: 0,
  });

export const channelsQuery = queryOptions({
  queryKey: ["alert-channels", "all"],
  meta: { events: ["alert-channel"] },
  queryFn: ({ signal }) =>
    fetchAll("channels", ({ limit, page }) =>
      sendFull(api.GET("/v1/alert-channels", { params: { query: { limit, page } }, signal })),
    ),
});

/** Fetches the names of the account's variables. */
export const variableKeysQuery = queryOptions({
  queryKey: ["variables", "keys"],
  meta: { events: ["variable"] },
  queryFn: async ({ signal }) => {
    const variables = await fetchAll("variables", ({ limit, page }) =>
      sendFull(api.GET("/v1/variables", { params: { query: { limit, page } }, signal })),
    );
    return variables.map(({ key }) => key);
  },
});
