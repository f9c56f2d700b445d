import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type By, parseBy } from "../alerts/index.ts";
import { api, send } from "../api/client.ts";
import type { components } from "../api/schema.d.ts";

type Schemas = components["schemas"];

export type Overview = Schemas["Overview"];
export type FailingCheck = Schemas["CheckInTrouble"];
export type Activity = Schemas["Activity"];
export type Trend = Schemas["Trend"];

/**
 * Fetches the current problems. The query is invalidated by state changes, and also polled, because
 * the bars of the last hour move with time.
 */
export const overviewQuery = queryOptions({
  queryKey: ["now", "overview"],
  meta: {
    events: ["check", "alert", "delivery", "incident", "incident-update", "maintenance-window"],
  },
  queryFn: () => send(api.GET("/v1/overview")),
  refetchInterval: 30_000,
});

export const ranges = { "24h": 24, "3d": 72, "7d": 168 } as const;
export type Range = keyof typeof ranges;

export interface NowSearch {
  readonly range?: Range;
  readonly by?: By;
}

export function parseNowSearch({ range, by }: Record<string, unknown>): NowSearch {
  const isRange = typeof range === "string" && range !== "24h" && range in ranges;
  return { ...(isRange && { range: range as Range }), ...parseBy(by) };
}

export const activityQuery = (range: Range) =>
  queryOptions({
    queryKey: ["now", "activity", range],
    meta: {
      events: ["check", "alert", "delivery", "incident", "incident-update", "maintenance-window"],
    },
    queryFn: () => {
      const from = new Date(Date.now() - ranges[range] * 3_600_000).toISOString();
      return send(api.GET("/v1/overview/activity", { params: { query: { from, limit: 50 } } }));
    },
    placeholderData: keepPreviousData,
  });

export const trendsQuery = queryOptions({
  queryKey: ["trends"],
  queryFn: () => send(api.GET("/v1/overview/trends")),
  staleTime: 10 * 60_000,
});

/** Fetches the network hops that at least two failing checks share. */
export const sharedHopsQuery = queryOptions({
  queryKey: ["now", "shared-hops"],
  meta: { events: ["check"] },
  queryFn: () => send(api.GET("/v1/overview/shared-hops")),
  refetchInterval: 30_000,
});
