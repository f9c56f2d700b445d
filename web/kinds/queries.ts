import { queryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";

/** Defaults and limits of all check types. They change only with the server's version. */
export const checkKindsQuery = queryOptions({
  queryKey: ["check-kinds"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: () => send(api.GET("/v1/check-kinds", {})),
});
