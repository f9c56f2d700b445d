import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, sendFull } from "../api/client.ts";

const limit = 100;

export const variablesQuery = infiniteQueryOptions({
  queryKey: ["variables"],
  meta: { events: ["variable"] },
  queryFn: ({ pageParam }) =>
    sendFull(api.GET("/v1/variables", { params: { query: { limit, page: pageParam } } })),
  initialPageParam: 1,
  getNextPageParam: ({ total }, _pages, page) => ((total ?? 0) > page * limit ? page + 1 : null),
});
