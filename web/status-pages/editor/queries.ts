import { queryOptions } from "@tanstack/react-query";
import { api, type Schemas, send, sendFull } from "../../api/client.ts";
import type { Version } from "../../editing/index.ts";

export type Service = Schemas["FollowingService"];

/** All services; an account has at most a thousand. */
export const servicesQuery = queryOptions({
  queryKey: ["services", "list"],
  meta: { events: ["service"] },
  queryFn: async ({ signal }): Promise<readonly Service[]> => {
    const params = { query: { paginated: false } };
    const answer = await send(api.GET("/v1/status-pages/services", { params, signal }));
    return Array.isArray(answer) ? answer : answer.entries;
  },
});

export function fetchService(serviceId: string, signal?: AbortSignal): Promise<Version<Service>> {
  const params = { path: { serviceId } };
  return sendFull(
    api.GET("/v1/status-pages/services/{serviceId}", { params, ...(signal && { signal }) }),
  );
}

export const serviceQuery = (serviceId: string) =>
  queryOptions({
    queryKey: ["services", serviceId],
    meta: { events: ["service"] },
    queryFn: ({ signal }) => fetchService(serviceId, signal),
    gcTime: 0,
  });
