import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";
import type { Command } from "./commands.ts";

const openIncidentsQuery = queryOptions({
  queryKey: ["incidents", "found"],
  meta: { events: ["incident", "incident-update"] },
  queryFn: ({ signal }) =>
    send(
      api.GET("/v1/status-pages/incidents", {
        params: { query: { status: "ongoing", sort: "started", limit: 20 } },
        signal,
      }),
    ),
  staleTime: 30_000,
});

export function useIncidentCommands(): Command[] {
  const { data } = useQuery(openIncidentsQuery);
  return (data?.entries ?? []).map(({ id, name, services }) => ({
    id: `incident-${id}`,
    section: "incidents",
    label: name,
    detail: services.map((service) => service.name).join(", "),
    href: `/incidents/${id}`,
  }));
}
