import { queryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";

export type Place = Awaited<ReturnType<typeof fetchPlaces>>[number];
export type Probe = Place["probes"][number];
export type PlaceRecord = Awaited<ReturnType<typeof fetchRecords>>[number];

const fetchPlaces = (signal: AbortSignal) => send(api.GET("/v1/locations", { signal }));
const fetchRecords = (signal: AbortSignal) => send(api.GET("/v1/location-records", { signal }));

/** A probe says hello every ten seconds. */
export const placesQuery = queryOptions({
  queryKey: ["locations", "live"],
  queryFn: ({ signal }) => fetchPlaces(signal),
  refetchInterval: 10_000,
});

export const recordsQuery = queryOptions({
  queryKey: ["checks", "by-location"],
  queryFn: async ({ signal }) =>
    new Map((await fetchRecords(signal)).map((record) => [record.region, record])),
  refetchInterval: 60_000,
});

/** How many checks are to run at each location. */
export const checkCountsQuery = queryOptions({
  queryKey: ["checks", "facets", "locations"],
  queryFn: async ({ signal }) => {
    const { location } = await send(api.GET("/v1/check-overviews/facets", { signal }));
    return new Map(location.map(({ value, count }) => [value, count]));
  },
  refetchInterval: 60_000,
});
