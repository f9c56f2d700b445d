/** What the editor offers to choose from. */
import { queryOptions } from "@tanstack/react-query";
import { api, send } from "../../api/client.ts";

export const groupsQuery = queryOptions({
  queryKey: ["check-groups", "all"],
  queryFn: () => send(api.GET("/v1/check-groups", { params: { query: { limit: 100 } } })),
});

export const channelsQuery = queryOptions({
  queryKey: ["alert-channels", "all"],
  queryFn: () => send(api.GET("/v1/alert-channels", { params: { query: { limit: 100 } } })),
});
