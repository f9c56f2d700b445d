import { queryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";

export const accountsQuery = queryOptions({
  queryKey: ["session", "accounts"],
  meta: { events: ["member", "account"] },
  queryFn: () => send(api.GET("/v1/accounts")),
});
