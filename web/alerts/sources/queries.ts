import { queryOptions } from "@tanstack/react-query";
import { api, type Schemas, send } from "../../api/client.ts";

export type AlertSource = Schemas["AlertSource"];

export const sourcesQuery = queryOptions({
  queryKey: ["alert-sources", "list"],
  meta: { events: ["alert-source", "alert"] },
  queryFn: ({ signal }) => send(api.GET("/v1/alert-sources", { signal })),
});
