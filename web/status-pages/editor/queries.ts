import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, type Schemas, send, sendFull } from "../../api/client.ts";
import type { Version } from "../../editing/index.ts";
import { words } from "./words.ts";

export type Service = Schemas["FollowingService"];

/** Fetches all services of the account, at most 1,000. */
export const servicesQuery = queryOptions({
  queryKey: ["services", "list"],
  meta: { events: ["service"] },
  queryFn: async ({ signal }): Promise<readonly Service[]> => {
    const params = { query: { paginated: false } };
    const answer = await send(api.GET("/v1/status-pages/services", { params, signal }));
    return Array.isArray(answer) ? answer : answer.entries;
  },
});

export type Component = Schemas["StatusPageComponent"];
export type Rule = Schemas["AutomationRule"];

interface Automation {
  readonly rules: readonly Rule[];
  readonly components: readonly Component[];
}

/** Maximum number of requests, which is enough for all components of a status page. */
const maxRequests = 3;
const pageSize = 100;

async function fetchComponents(
  statusPageId: string,
  signal: AbortSignal,
): Promise<readonly Component[]> {
  const components: Component[] = [];
  let nextId: string | null = null;
  for (let count = 0; count < maxRequests; count += 1) {
    const query = { limit: pageSize, ...(nextId !== null && { nextId }) };
    const params = { path: { statusPageId }, query };
    const path = "/v3/status-pages/{statusPageId}/components";
    const list: { entries: Component[]; nextId: string | null } = await send(
      api.GET(path, { params, signal }),
    );
    components.push(...list.entries);
    nextId = list.nextId;
    if (nextId === null) break;
  }
  return components;
}

/** Fetches the automation rules of a page, and the components of the page. */
export const automationQuery = (statusPageId: string) =>
  queryOptions({
    queryKey: ["status-pages", statusPageId, "automation"],
    meta: { events: ["status-page", "status-page-component", "status-page-rule", "incident"] },
    queryFn: async ({ signal }): Promise<Automation> => {
      const params = { path: { statusPageId }, query: { limit: pageSize } };
      const path = "/v3/status-pages/{statusPageId}/automation-rules";
      const [rules, components] = await Promise.all([
        send(api.GET(path, { params, signal })),
        fetchComponents(statusPageId, signal),
      ]);
      return { rules: rules.entries, components };
    },
  });

export function fetchRule(
  statusPageId: string,
  ruleId: string,
  signal?: AbortSignal,
): Promise<Version<Rule>> {
  const params = { path: { statusPageId, ruleId } };
  const path = "/v3/status-pages/{statusPageId}/automation-rules/{ruleId}";
  return sendFull(api.GET(path, { params, ...(signal && { signal }) }));
}

export const ruleQuery = (statusPageId: string, ruleId: string) =>
  queryOptions({
    queryKey: ["status-pages", statusPageId, "automation", ruleId],
    meta: { events: ["status-page-rule"] },
    queryFn: ({ signal }) => fetchRule(statusPageId, ruleId, signal),
    gcTime: 0,
  });

export function fetchService(serviceId: string, signal?: AbortSignal): Promise<Version<Service>> {
  const params = { path: { serviceId } };
  return sendFull(
    api.GET("/v1/status-pages/services/{serviceId}", { params, ...(signal && { signal }) }),
  );
}

export const serviceQuery = (serviceId: string) =>
  queryOptions({
    queryKey: ["services", serviceId, "service"],
    meta: { events: ["service"] },
    queryFn: ({ signal }) => fetchService(serviceId, signal),
    gcTime: 0,
  });

export interface Services {
  /** Services sorted by name; empty until loaded. */
  readonly list: readonly Service[];
  readonly isLoaded: boolean;
  /** Number that changes whenever a service may have changed; 0 until the services have loaded. */
  readonly version: number;
  readonly nameOf: (id: string) => string;
  readonly find: (id: string) => Service | undefined;
}

export function useServices(): Services {
  const { data, dataUpdatedAt, errorUpdatedAt } = useQuery(servicesQuery);
  return useMemo(() => {
    const byId = new Map((data ?? []).map((service) => [service.id, service]));
    const list = [...byId.values()].sort((one, other) =>
      one.name.localeCompare(other.name, undefined, { numeric: true }),
    );
    return {
      list,
      isLoaded: data !== undefined,
      version: dataUpdatedAt + errorUpdatedAt,
      find: (id: string) => byId.get(id),
      nameOf: (id: string) => byId.get(id)?.name ?? words.unknownService,
    };
  }, [data, dataUpdatedAt, errorUpdatedAt]);
}

/**
 * Request to create a service. If `follows` is missing, only incidents determine the service's
 * state.
 */
interface NewService {
  readonly name: string;
  readonly follows?: { readonly checkIds: string[] };
}

/**
 * Finds the service whose state depends only on this check. When the user adds the check to a card,
 * the card reuses this service.
 */
export function findServiceOf(services: Services, checkId: string): Service | undefined {
  return services.list.find(
    ({ follows: { checkIds, tags } }) =>
      checkIds.length === 1 && checkIds[0] === checkId && tags.length === 0,
  );
}

export const followsNothing = ({ follows: { checkIds, tags } }: Service) =>
  checkIds.length + tags.length === 0;

export function useCreateService(onCreated: (service: Service) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewService) => send(api.POST("/v1/status-pages/services", { body })),
    onSuccess: (service) => {
      client.setQueryData(servicesQuery.queryKey, (before) => [...(before ?? []), service]);
      onCreated(service);
    },
  });
}
