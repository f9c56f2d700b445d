import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { EventName } from "../api/change.ts";
import { api, type Schemas, send, sendFull } from "../api/client.ts";
import { fetchAll } from "../api/fetch-all.ts";
import type { IncidentFilter } from "./search.ts";

export type Incident = Schemas["Incident"];
export type IncidentUpdate = Schemas["IncidentUpdate"];
export type IncidentTemplate = Schemas["IncidentTemplate"];
export type ServiceStatus = Schemas["ServiceStatus"];
export type IncidentAudience = Schemas["IncidentAudience"];

const dayMs = 86_400_000;

const incidentEvents: readonly EventName[] = [
  "incident",
  "incident-note",
  "incident-post-mortem",
  "incident-update",
];

export const openPageSize = 100;
export const pastPageSize = 30;

/**
 * Fetches a list of incidents. The second part of the query key must not be an id, because a query
 * with an id is invalidated only by events with the same id. Events about the updates of an
 * incident contain the id of the update, and must invalidate the list too.
 */
export const incidentsQuery = (state: "ongoing" | "resolved", filter: IncidentFilter) => {
  const { severity, page, from } = filter;
  const query = {
    status: state,
    sort: "started" as const,
    limit: state === "ongoing" ? openPageSize : pastPageSize,
    ...(severity !== undefined && { severity }),
    ...(page !== undefined && { statusPageId: page }),
    ...(state === "resolved" && from !== undefined && { nextId: from }),
  };
  return queryOptions({
    queryKey: ["incidents", "list", query],
    meta: { events: incidentEvents },
    queryFn: ({ signal }) =>
      send(api.GET("/v1/status-pages/incidents", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
};

export function fetchIncident(incidentId: string, signal?: AbortSignal) {
  const params = { path: { incidentId } };
  const options = { params, ...(signal && { signal }) };
  return sendFull(api.GET("/v1/status-pages/incidents/{incidentId}", options));
}

/** Fetches an incident with its ETag, which an update sends as `If-Match`. */
export const incidentQuery = (incidentId: string) =>
  queryOptions({
    queryKey: ["incidents", "one", incidentId],
    meta: { events: incidentEvents },
    queryFn: ({ signal }) => fetchIncident(incidentId, signal),
  });

export const notesQuery = (incidentId: string) =>
  queryOptions({
    queryKey: ["incidents", "notes", incidentId],
    meta: { events: incidentEvents },
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/status-pages/incidents/{incidentId}/notes", {
          params: { path: { incidentId } },
          signal,
        }),
      ),
  });

/** Fetches the post-mortem of an incident, or `null` if the incident has none. */
export const postMortemQuery = (incidentId: string) =>
  queryOptions({
    queryKey: ["incidents", "post-mortem", incidentId],
    meta: { events: incidentEvents },
    queryFn: async ({ signal }) => {
      const params = { path: { incidentId } };
      const { postMortem } = await send(
        api.GET("/v1/status-pages/incidents/{incidentId}/post-mortem", { params, signal }),
      );
      return postMortem;
    },
  });

/** Fetches the alert that opened an incident, searched within a day of `startedAt`. */
export const openingAlertQuery = (checkId: string, alertNumber: number, startedAt: string) =>
  queryOptions({
    queryKey: ["checks", checkId, "alerts", "opening", alertNumber],
    meta: { events: ["alert"] },
    queryFn: async ({ signal }) => {
      const atMs = Date.parse(startedAt);
      const query = {
        from: new Date(atMs - dayMs).toISOString(),
        to: new Date(atMs + dayMs).toISOString(),
        limit: 100,
      };
      const params = { path: { checkId }, query };
      const alerts = await send(api.GET("/v1/check-alerts/{checkId}", { params, signal }));
      const own = alerts.filter((alert) => alert.alertNumber === alertNumber && !alert.isReminder);
      return own.at(-1) ?? null;
    },
    staleTime: 60_000,
  });

/** Fetches the state and checks of every service. */
export const serviceStatusesQuery = queryOptions({
  queryKey: ["services", "statuses"],
  meta: { events: ["service"] },
  queryFn: () => send(api.GET("/v1/service-statuses")),
  staleTime: 10_000,
});

/** Fetches all incident templates of the account. */
export const templatesQuery = queryOptions({
  queryKey: ["incident-templates", "list"],
  meta: { events: ["incident-template"] },
  queryFn: ({ signal }) =>
    fetchAll("incident templates", ({ limit, nextId }) => {
      const query = { limit, ...(nextId !== null && { nextId }) };
      return send(api.GET("/v1/status-pages/incident-templates", { params: { query }, signal }));
    }),
});

/** Fetches a template with its ETag. */
export function fetchTemplate(templateId: string, signal: AbortSignal | null = null) {
  const options = { params: { path: { templateId } }, signal };
  return sendFull(api.GET("/v1/status-pages/incident-templates/{templateId}", options));
}

export const templateQuery = (templateId: string) =>
  queryOptions({
    queryKey: ["incident-templates", "one", templateId],
    meta: { events: ["incident-template"] },
    queryFn: ({ signal }) => fetchTemplate(templateId, signal),
    staleTime: 0,
    refetchOnWindowFocus: false,
  });

/**
 * Fetches the status pages that show any of these services, and the number of subscribers that an
 * incident update would notify.
 */
export const audienceQuery = (serviceIds: readonly string[]) =>
  queryOptions({
    queryKey: ["incidents", "audience", [...serviceIds].sort()],
    meta: { events: incidentEvents },
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/status-pages/incidents/audience", {
          params: { query: { serviceId: [...serviceIds] } },
          signal,
        }),
      ),
    enabled: serviceIds.length > 0,
    placeholderData: keepPreviousData,
  });

export const statisticsQuery = (days: number) =>
  queryOptions({
    queryKey: ["incidents", "statistics", days],
    meta: { events: incidentEvents },
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - days * dayMs).toISOString();
      return send(
        api.GET("/v1/status-pages/incidents/statistics", { params: { query: { from } }, signal }),
      );
    },
    placeholderData: keepPreviousData,
  });
