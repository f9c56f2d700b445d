import { queryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";

export const certificatesQuery = queryOptions({
  queryKey: ["client-certificates"],
  meta: { events: ["client-certificate"] },
  queryFn: () => send(api.GET("/v1/client-certificates")),
});
