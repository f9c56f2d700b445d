import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, type Schemas, send } from "../api/client.ts";
import { readPushState } from "./this-device.ts";

export const apiKeysQuery = infiniteQueryOptions({
  queryKey: ["api-keys"],
  meta: { events: ["api-key"] },
  queryFn: ({ pageParam }) =>
    send(
      api.GET("/v1/api-keys", {
        params: { query: { limit: 100, ...(pageParam !== null && { nextId: pageParam }) } },
      }),
    ),
  initialPageParam: null as string | null,
  getNextPageParam: ({ nextId }) => nextId,
});

/**
 * Fetches a pending device sign-in. The request is not retried, because wrong codes count against a
 * limit.
 */
export const deviceLoginQuery = (userCode: string) =>
  queryOptions({
    queryKey: ["device-logins", userCode],
    queryFn: () =>
      send(api.GET("/v1/device-logins/{userCode}", { params: { path: { userCode } } })),
    retry: false,
    refetchOnWindowFocus: false,
  });

export const membersQuery = infiniteQueryOptions({
  queryKey: ["members"],
  meta: { events: ["member", "invite"] },
  queryFn: ({ pageParam }) =>
    send(
      api.GET("/v1/accounts/me/members", {
        params: { query: { limit: 100, ...(pageParam !== null && { nextId: pageParam }) } },
      }),
    ),
  initialPageParam: null as string | null,
  getNextPageParam: ({ nextId }) => nextId,
});

export const rolesQuery = queryOptions({
  queryKey: ["roles"],
  queryFn: () => send(api.GET("/v1/roles")),
  staleTime: Number.POSITIVE_INFINITY,
});

export const serversQuery = queryOptions({
  queryKey: ["servers"],
  queryFn: () => send(api.GET("/v1/servers")),
  refetchInterval: 5_000,
});

export const doctorQuery = queryOptions({
  queryKey: ["doctor"],
  queryFn: () => send(api.GET("/v1/doctor")),
  // Not re-fetched on focus, because a diagnosis connects to mail, NATS and name servers.
  refetchOnWindowFocus: false,
});

export const backupsQuery = queryOptions({
  queryKey: ["backups"],
  meta: { events: ["backup"] },
  queryFn: () => send(api.GET("/v1/backups")),
  // Polled faster while a backup is running.
  refetchInterval: ({ state }) =>
    state.data?.backups.some(({ finishedAt }) => finishedAt === null) ? 2_000 : 30_000,
});

export interface AuditFilter {
  readonly search?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly targetId?: string;
  readonly from?: string;
  readonly to?: string;
}

export const auditFacetsQuery = queryOptions({
  queryKey: ["audit", "facets"],
  queryFn: () => send(api.GET("/v1/audit-log/facets")),
});

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["audit", "entries", filter],
    queryFn: ({ pageParam, signal }) =>
      send(
        api.GET("/v1/audit-log", {
          params: {
            query: { ...filter, limit: 100, ...(pageParam !== null && { nextId: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextId }) => nextId,
  });

export const exchangesQuery = (accountId: string) =>
  queryOptions({
    queryKey: ["agent", "exchanges", accountId],
    queryFn: () =>
      send(
        api.GET("/accounts/{accountId}/ai/agents/exchanges", {
          params: { path: { accountId }, query: { limit: 20 } },
        }),
      ),
  });

export const devicesQuery = queryOptions({
  queryKey: ["push-subscriptions"],
  queryFn: () => send(api.GET("/v1/users/me/push-subscriptions")),
});

export const pushStateQuery = queryOptions({
  queryKey: ["push-state"],
  queryFn: readPushState,
  staleTime: 0,
});

export type Factors = Schemas["SecondFactors"];
export type Passkey = Schemas["Passkey"];
export type OpenSession = Schemas["Session"];

/** Proof of the user's identity, which is either the password or a second-factor code. */
export interface Proof {
  readonly password?: string;
  readonly code?: string;
}

export const factorsQuery = queryOptions({
  queryKey: ["security", "factors"],
  queryFn: () => send(api.GET("/v1/users/me/second-factors")),
});

export const passkeysQuery = queryOptions({
  queryKey: ["security", "passkeys"],
  queryFn: () => send(api.GET("/v1/users/me/passkeys")),
});

export const sessionsQuery = queryOptions({
  queryKey: ["security", "sessions"],
  queryFn: () => send(api.GET("/v1/sessions")),
});
