import { queryOptions } from "@tanstack/react-query";
import { api, send } from "./client.ts";

/** Query of the server's version, health and settings. */
export const aboutQuery = queryOptions({
  queryKey: ["about"],
  queryFn: () => send(api.GET("/v1/about")),
  refetchInterval: 30_000,
});
