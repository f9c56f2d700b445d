import { queryOptions } from "@tanstack/react-query";
import { checkEvents } from "../api/change.ts";
import { api, type Schemas, send } from "../api/client.ts";

export type Place = Awaited<ReturnType<typeof fetchLocations>>[number];
export type Probe = Schemas["Probe"];
export type PrivateLocation = Schemas["PrivateLocation"];
export type PlaceRecord = Awaited<ReturnType<typeof fetchRecords>>[number];

const fetchLocations = (signal: AbortSignal) => send(api.GET("/v1/locations", { signal }));
const fetchRecords = (signal: AbortSignal) => send(api.GET("/v1/location-records", { signal }));

/**
 * Fetches the public locations and their probes. The query is polled, because probes report every
 * ten seconds.
 */
export const liveLocationsQuery = queryOptions({
  queryKey: ["locations", "live"],
  // The server is called "This server" until there is a private location.
  meta: { events: ["probe", "private-location"] },
  queryFn: ({ signal }) => fetchLocations(signal),
  refetchInterval: 10_000,
});

export const recordsQuery = queryOptions({
  queryKey: ["checks", "by-location"],
  meta: { events: checkEvents },
  queryFn: async ({ signal }) =>
    new Map((await fetchRecords(signal)).map((record) => [record.region, record])),
  refetchInterval: 60_000,
});

/** Fetches the number of checks per location. */
export const checkCountsQuery = queryOptions({
  queryKey: ["checks", "facets", "locations"],
  meta: { events: checkEvents },
  queryFn: async ({ signal }) => {
    const { location } = await send(api.GET("/v1/check-overviews/facets", { signal }));
    return new Map(location.map(({ value, count }) => [value, count]));
  },
  refetchInterval: 60_000,
});

/**
 * Fetches the private locations with their live probes. The query is polled, so that a new probe is
 * shown soon.
 */
export const privateLocationsQuery = queryOptions({
  queryKey: ["private-locations"],
  meta: { events: ["private-location", "probe", "probe-key"] },
  queryFn: ({ signal }) => send(api.GET("/v1/private-locations", { signal })),
  refetchInterval: 10_000,
});

const dayMs = 86_400_000;

/**
 * Fetches two time series of the last 24 hours: the number of runs that waited at a private
 * location, and the age of the oldest waiting run.
 */
export const waitingQuery = (id: string) =>
  queryOptions({
    queryKey: ["private-locations", id, "metrics"],
    meta: { events: ["private-location"] },
    queryFn: ({ signal }) => {
      const nowMs = Date.now();
      const query = {
        from: new Date(nowMs - dayMs).toISOString(),
        to: new Date(nowMs).toISOString(),
      };
      const params = { path: { id }, query };
      return send(api.GET("/v1/private-locations/{id}/metrics", { params, signal }));
    },
    refetchInterval: 60_000,
  });

export const locationsQuery = queryOptions({
  queryKey: ["locations"],
  meta: { events: ["private-location", "probe"] },
  queryFn: () => send(api.GET("/v1/locations")),
  staleTime: 5 * 60_000,
});

export const privateNamesQuery = queryOptions({
  queryKey: ["private-locations", "names"],
  meta: { events: ["private-location"] },
  queryFn: () => send(api.GET("/v1/private-locations")),
  staleTime: 5 * 60_000,
});
