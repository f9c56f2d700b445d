import { queryOptions } from "@tanstack/react-query";
import { api, type Schemas, send } from "../../api/client.ts";

export type AlertSource = Schemas["AlertSource"];

export const sourcesQuery = queryOptions({
  queryKey: ["alert-sources", "list"],
  meta: { events: ["alert-source", "alert"] },
  queryFn: ({ signal }) => send(api.GET("/v1/alert-sources", { signal })),
});

/** Fetches up to 100 check groups, so that the user can select one by name. */
export const groupNamesQuery = queryOptions({
  queryKey: ["check-groups", "names-for-sources"],
  meta: { events: ["check-group"] },
  queryFn: ({ signal }) =>
    send(api.GET("/v1/check-groups", { params: { query: { limit: 100, page: 1 } }, signal })),
});
