import { queryOptions } from "@tanstack/react-query";
import { api, send } from "./client.ts";

/** Version, health and settings of the server. */
export const aboutQuery = queryOptions({
  queryKey: ["about"],
  queryFn: () => send(api.GET("/v1/about")),
  refetchInterval: 30_000,
});
