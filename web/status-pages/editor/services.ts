import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, send } from "../../api/client.ts";
import { type Service, servicesQuery } from "./queries.ts";
import { words } from "./words.ts";

export interface Services {
  /** Sorted by name; empty until loaded. */
  readonly list: readonly Service[];
  readonly isLoaded: boolean;
  /** Changes whenever a service may have changed; 0 until loaded. */
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

/** A service to create. Without `follows`, its state comes from incidents alone. */
export interface NewService {
  readonly name: string;
  readonly follows?: { readonly checkIds: string[] };
}

/** Finds the service that follows only this check, to show it on another card. */
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
