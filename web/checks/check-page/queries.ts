import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { checkEvents } from "../../api/change.ts";
import { api, type Schemas, send, sendFull } from "../../api/client.ts";
import type { Shown } from "../../kinds/kind.ts";
import { type CheckSearch, isFixed, type RangeSearch, readBirth, readSpan } from "./search.ts";

export type AnyCheck = Schemas["Check"];
export type CheckSeries = Schemas["CheckSeries"];
export type Slot = CheckSeries["series"][number]["slots"][number];
export type Timeline = Schemas["CheckTimeline"];
export type StateChange = Schemas["StateChange"];
export type ListedRun = Shown<Schemas["Result"]>;

/** Returns whether a probe measured the run. Other runs, such as heartbeat pings, have no probe. */
export function wasMeasured({ probeId }: Pick<ListedRun, "probeId">): boolean {
  return probeId !== "none";
}
export type Run = Shown<Schemas["WholeResult"]>;
export type Alert = Schemas["Alert"];
export type Message = Schemas["AlertNotification"];
export type AlertSettings = Schemas["AlertSettings"];

/** Polling interval, in case the event stream is interrupted. */
const renewMs = 60_000;
const points = 300;
const pageSize = 30;

const at = (ms: number) => new Date(ms).toISOString();
const renewal = (range: RangeSearch) => (isFixed(range) ? {} : { refetchInterval: renewMs });
const rangeKey = ({ range, from, to }: RangeSearch) => ({ range, from, to });

export const checkQuery = (id: string) =>
  queryOptions({
    queryKey: ["checks", id, "own"],
    meta: { events: checkEvents },
    queryFn: ({ signal }) => send(api.GET("/v1/checks/{id}", { params: { path: { id } }, signal })),
  });

/** Fetches the check with its group's settings applied. */
export const ruledCheckQuery = (id: string) =>
  queryOptions({
    queryKey: ["checks", id, "ruled"],
    meta: { events: checkEvents },
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/checks/{id}", {
          params: { path: { id }, query: { applyGroupSettings: true } },
          signal,
        }),
      ),
  });

type SeriesSearch = RangeSearch & Pick<CheckSearch, "by" | "metric">;

export const seriesQuery = (checkId: string, search: SeriesSearch) =>
  queryOptions({
    queryKey: [
      "checks",
      checkId,
      "series",
      { ...rangeKey(search), by: search.by, metric: search.metric },
    ],
    meta: { events: checkEvents },
    queryFn: ({ signal }) => {
      const { fromMs, toMs } = readSpan(search, Date.now(), readBirth(checkId));
      const { metric } = search;
      const query = {
        from: at(fromMs),
        to: at(toMs),
        points,
        byLocation: search.by === "location",
        ...(metric !== undefined && { metric }),
      };
      return send(
        api.GET("/v1/check-series/{checkId}", { params: { path: { checkId }, query }, signal }),
      );
    },
    placeholderData: keepPreviousData,
    ...renewal(search),
  });

export const timelineQuery = (checkId: string, search: RangeSearch) =>
  queryOptions({
    queryKey: ["checks", checkId, "timeline", rangeKey(search)],
    meta: { events: checkEvents },
    queryFn: ({ signal }) => {
      const { fromMs, toMs } = readSpan(search, Date.now(), readBirth(checkId));
      const query = { from: at(fromMs), to: at(toMs) };
      return send(
        api.GET("/v1/check-timelines/{checkId}", { params: { path: { checkId }, query }, signal }),
      );
    },
    placeholderData: keepPreviousData,
    ...renewal(search),
  });

type RunsSearch = RangeSearch & Pick<CheckSearch, "state" | "location">;

export const runsQuery = (checkId: string, search: RunsSearch) =>
  infiniteQueryOptions({
    queryKey: [
      "runs",
      checkId,
      "list",
      { ...rangeKey(search), state: search.state, location: search.location },
    ],
    meta: { events: ["check", "check.result"] },
    queryFn: ({ pageParam, signal }) => {
      const { fromMs, toMs } = readSpan(search, Date.now(), readBirth(checkId));
      const { state, location } = search;
      const query = {
        limit: pageSize,
        from: Math.floor(fromMs / 1_000),
        to: Math.ceil(toMs / 1_000) + 1,
        ...(pageParam !== null && { nextId: pageParam }),
        ...(state && { verdict: state }),
        ...(location !== undefined && { location }),
      };
      return send(
        api.GET("/v2/check-results/{checkId}", { params: { path: { checkId }, query }, signal }),
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextId }) => nextId,
    placeholderData: keepPreviousData,
    ...renewal(search),
  });

export const runQuery = (checkId: string, resultId: string) =>
  queryOptions({
    queryKey: ["runs", checkId, "one", resultId],
    meta: { events: ["check", "check.result"] },
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/check-results/{checkId}/{resultId}", {
          params: { path: { checkId, resultId } },
          signal,
        }),
      ),
    // No re-fetch is needed, because a finished run does not change.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Fetches all attempts of a run, which are the results with the same scheduled time. */
export const attemptsQuery = (checkId: string, run: Pick<Run, "checkRunId" | "runLocation">) =>
  queryOptions({
    queryKey: ["runs", checkId, "attempts", run.checkRunId, run.runLocation],
    meta: { events: ["check", "check.result"] },
    queryFn: async ({ signal }) => {
      const from = Math.floor(run.checkRunId / 1_000);
      const query = { limit: 100, from, to: from + 1, resultType: "ALL" as const };
      const page = await send(
        api.GET("/v2/check-results/{checkId}", { params: { path: { checkId }, query }, signal }),
      );
      return page.entries.filter(({ checkRunId }) => checkRunId === run.checkRunId).toReversed();
    },
    staleTime: 30_000,
  });

/** Fetches the source addresses of runs by location. */
export const sourcesQuery = queryOptions({
  queryKey: ["locations", "sources"],
  queryFn: async (): Promise<Readonly<Record<string, readonly string[]>>> => {
    const [four, six] = await Promise.all([
      send(api.GET("/v1/static-ips-by-region")),
      send(api.GET("/v1/static-ipv6s-by-region")),
    ]);
    const regions = new Set([...Object.keys(four), ...Object.keys(six)]);
    return Object.fromEntries(
      [...regions].map((region) => [region, [...(four[region] ?? []), ...(six[region] ?? [])]]),
    );
  },
  staleTime: 600_000,
});

export const historyQuery = (checkId: string) =>
  infiniteQueryOptions({
    queryKey: ["checks", checkId, "history"],
    meta: { events: checkEvents },
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: pageSize, ...(pageParam !== null && { nextId: pageParam }) };
      return send(
        api.GET("/v1/check-state-changes/{checkId}", {
          params: { path: { checkId }, query },
          signal,
        }),
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextId }) => nextId,
  });

export const alertsQuery = (checkId: string) =>
  infiniteQueryOptions({
    queryKey: ["checks", checkId, "alerts"],
    meta: { events: checkEvents },
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: pageSize, page: pageParam };
      const { data, total } = await sendFull(
        api.GET("/v1/check-alerts/{checkId}", { params: { path: { checkId }, query }, signal }),
      );
      return { alerts: data, page: pageParam, total: total ?? data.length };
    },
    initialPageParam: 1,
    getNextPageParam: ({ page, total }) => (page * pageSize < total ? page + 1 : null),
  });

export const backTestQuery = (
  checkId: string,
  request: { readonly alertSettings: AlertSettings; readonly days: number },
) =>
  queryOptions({
    queryKey: ["checks", checkId, "back-test", request],
    meta: { events: checkEvents },
    queryFn: ({ signal }) =>
      send(
        api.POST("/v1/checks/{id}/alert-back-test", {
          params: { path: { id: checkId } },
          body: request,
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** Fetches the newest notifications of a check. The alerts tab shows them below their alerts. */
export const messagesQuery = (checkId: string) =>
  queryOptions({
    queryKey: ["checks", checkId, "messages"],
    meta: { events: checkEvents },
    queryFn: () =>
      send(api.GET("/v1/alert-notifications", { params: { query: { checkId, limit: 100 } } })),
  });

/** Fetches the account's alert settings, which apply to every check without its own settings. */
export const accountAlertSettingsQuery = queryOptions({
  queryKey: ["alert-settings", "ruling"],
  meta: { events: ["alert-settings"] },
  queryFn: () => send(api.GET("/v1/alert-settings")),
  staleTime: 60_000,
});

export const parentsQuery = (checkId: string) =>
  queryOptions({
    queryKey: ["checks", checkId, "parents"],
    meta: { events: ["check", "check-parents"] },
    queryFn: ({ signal }) =>
      send(api.GET("/v1/checks/{id}/parents", { params: { path: { id: checkId } }, signal })),
  });

/**
 * Polling interval for a test session that is still running. A client, such as the command line,
 * starts a test session to run checks.
 */
const sessionPollMs = 2_000;

export const testSessionQuery = (testSessionId: string) =>
  queryOptions({
    queryKey: ["test-sessions", testSessionId],
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/test-sessions/{testSessionId}", {
          params: { path: { testSessionId } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.status === "RUNNING" ? sessionPollMs : false),
  });
