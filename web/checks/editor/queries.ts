import { queryOptions } from "@tanstack/react-query";
import { api, send, sendFull } from "../../api/client.ts";
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
  queryFn: () => send(api.GET("/v1/alert-channels", { params: { query: { limit: 100 } } })),
});

const pageSize = 100;
const maxPages = 10;

/** Fetches the names of the account's variables, at most 1,000. */
export const variableKeysQuery = queryOptions({
  queryKey: ["variables", "keys"],
  meta: { events: ["variable"] },
  queryFn: async () => {
    const keys: string[] = [];
    for (let page = 1; page <= maxPages; page += 1) {
      const query = { limit: pageSize, page };
      const { data, total } = await sendFull(api.GET("/v1/variables", { params: { query } }));
      keys.push(...data.map(({ key }) => key));
      if (keys.length >= (total ?? 0) || data.length === 0) break;
    }
    return keys;
  },
});
