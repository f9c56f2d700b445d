import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, send, sendFull } from "../api/client.ts";
import type { components } from "../api/schema.d.ts";
import type { Version } from "../editing/index.ts";
import { addDays, type Day, listMonth, listWeek, startOfDay } from "./days.ts";
import type { View } from "./search.ts";

type Schemas = components["schemas"];

export type MaintenanceWindow = Schemas["MaintenanceWindow"];
export type WindowInput =
  components["requestBodies"]["MaintenanceWindowInput"]["content"]["application/json"];
export type Calendar = Schemas["MaintenanceCalendar"];
export type CalendarEntry = Calendar["windows"][number];
export type Occurrence = Calendar["maintenances"][number];
export type Coverage = Schemas["MaintenanceCoverage"];
export type Maintenance = Schemas["Maintenance"];
export type Status = Maintenance["status"];

/** Returns the days that a calendar view shows. */
export function listDays(view: View, day: Day): readonly Day[] {
  return view === "week" ? listWeek(day) : listMonth(day);
}

export function calendarQuery(view: View, day: Day) {
  const days = listDays(view, day);
  const from = startOfDay(days[0] ?? day).toISOString();
  const to = startOfDay(addDays(days.at(-1) ?? day, 1)).toISOString();
  return queryOptions({
    queryKey: ["maintenance", "calendar", from, to],
    meta: { events: ["maintenance-window"] },
    queryFn: ({ signal }) =>
      send(api.GET("/v1/maintenance-calendar", { params: { query: { from, to } }, signal })),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  });
}

export function fetchWindow(id: number, signal?: AbortSignal): Promise<Version<MaintenanceWindow>> {
  const params = { path: { id } };
  return sendFull(api.GET("/v1/maintenance-windows/{id}", { params, ...(signal && { signal }) }));
}

export const windowQuery = (id: number) =>
  queryOptions({
    queryKey: ["maintenance", id, "window"],
    meta: { events: ["maintenance-window"] },
    queryFn: ({ signal }) => fetchWindow(id, signal),
  });

export const occurrencesQuery = (id: number) =>
  queryOptions({
    queryKey: ["maintenance", id, "occurrences"],
    meta: { events: ["maintenance-window"] },
    queryFn: ({ signal }) =>
      sendFull(
        api.GET("/v1/maintenance-windows/{id}/maintenances", {
          params: { path: { id }, query: { limit: 5, page: 1 } },
          signal,
        }),
      ),
    refetchInterval: 30_000,
  });

export const previewQuery = (input: WindowInput | null) =>
  queryOptions({
    queryKey: ["maintenance", "preview", input],
    meta: { events: ["maintenance-window"] },
    queryFn: ({ signal }) =>
      send(
        api.POST("/v1/maintenance-windows/preview", {
          body: input ?? { name: "", startsAt: "", endsAt: "" },
          signal,
        }),
      ),
    enabled: input !== null,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  });

export const servicesQuery = queryOptions({
  queryKey: ["services", "names"],
  meta: { events: ["service"] },
  queryFn: async ({ signal }) => {
    const query = { paginated: false };
    const found = await send(api.GET("/v1/status-pages/services", { params: { query }, signal }));
    return Array.isArray(found) ? found : found.entries;
  },
  staleTime: 60_000,
});
