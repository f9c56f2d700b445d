import { queryOptions } from "@tanstack/react-query";
import type { EventName } from "../api/change.ts";
import { api, type Schemas, send, sendFull } from "../api/client.ts";
import { fetchAll } from "../api/fetch-all.ts";
import type { AlertFilter, By } from "./alert-search.ts";
import { findRenewalMs } from "./mute-times.ts";
import { words } from "./words.ts";

export type Channel = Schemas["AlertChannel"];
export type ChannelKind = Schemas["AlertChannelKind"];

const alertEvents: readonly EventName[] = ["alert", "alert-channel", "delivery"];

export const channelsQuery = queryOptions({
  queryKey: ["alert-channels", "list"],
  meta: { events: ["alert-channel"] },
  queryFn: ({ signal }) =>
    fetchAll("channels", ({ limit, page }) =>
      sendFull(api.GET("/v1/alert-channels", { params: { query: { limit, page } }, signal })),
    ),
});

export type Mute = Schemas["Mute"];

/** Check or group whose mutes are fetched. An empty scope fetches all mutes of the account. */
export interface MuteScope {
  readonly checkId?: string;
  readonly groupId?: number;
}

const fetchMutes = (scope: MuteScope, signal: AbortSignal): Promise<Mute[]> =>
  fetchAll("mutes", ({ limit, page }) =>
    sendFull(api.GET("/v1/mutes", { params: { query: { ...scope, limit, page } }, signal })),
  );

/**
 * Fetches the mutes of a scope. Re-fetches them when the first mute ends, and at least once a
 * minute.
 */
export const mutesQuery = (scope: MuteScope = {}) =>
  queryOptions({
    queryKey: ["mutes", "list", scope],
    meta: { events: ["mute", "check", "check-group"] },
    queryFn: ({ signal }) => fetchMutes(scope, signal),
    refetchInterval: ({ state }) => findRenewalMs(state.data, Date.now()),
  });

export const checkCountQuery = queryOptions({
  queryKey: ["checks", "count"],
  meta: { events: ["check"] },
  queryFn: async () => {
    const { total } = await sendFull(
      api.GET("/v1/checks", { params: { query: { limit: 1, page: 1 } } }),
    );
    return total ?? 0;
  },
});

/** Fetches the JSON Schemas of the channel types. */
export const channelKindsQuery = queryOptions({
  queryKey: ["alert-channel-kinds"],
  queryFn: () => send(api.GET("/v1/alert-channels/kinds")),
  staleTime: Number.POSITIVE_INFINITY,
});

export function fetchChannel(id: number, signal?: AbortSignal) {
  const params = { path: { id } };
  return sendFull(api.GET("/v1/alert-channels/{id}", { params, ...(signal && { signal }) }));
}

/** Fetches a channel with its ETag, which an update sends as `If-Match`. */
export const channelQuery = (id: number) =>
  queryOptions({
    queryKey: ["alert-channels", "one", id],
    meta: { events: ["alert-channel"] },
    queryFn: ({ signal }) => fetchChannel(id, signal),
    refetchOnWindowFocus: false,
    staleTime: 0,
  });

/** Fetches the account's alert settings with their ETag, which an update sends as `If-Match`. */
export const fetchAlertSettings = () => sendFull(api.GET("/v1/alert-settings"));

export const alertSettingsQuery = queryOptions({
  queryKey: ["alert-settings"],
  meta: { events: ["alert-settings"] },
  queryFn: fetchAlertSettings,
  refetchOnWindowFocus: false,
  staleTime: 0,
});

export const openAlertsQuery = queryOptions({
  queryKey: ["alerts", "open"],
  meta: { events: alertEvents },
  queryFn: () => send(api.GET("/v1/check-alerts/open", { params: { query: { limit: 1000 } } })),
  refetchInterval: 15_000,
});

/** Fetches the current problems, grouped by cause, group, tag or location. */
export const problemGroupsQuery = (by: By) =>
  queryOptions({
    queryKey: ["now", "groups", by],
    meta: {
      events: ["check", "alert", "delivery", "incident", "incident-update", "maintenance-window"],
    },
    queryFn: () =>
      send(
        api.GET("/v1/overview/groups", {
          params: { query: { by: by === "none" ? "cause" : by } },
        }),
      ),
    refetchInterval: 30_000,
    enabled: by !== "none",
    placeholderData: (before) => before,
  });

export const alertPageSize = 50;

export const alertsQuery = ({ page = 1, search, alertType, show }: AlertFilter) =>
  queryOptions({
    queryKey: ["alerts", "list", { page, search, alertType, show }],
    meta: { events: alertEvents },
    queryFn: ({ signal }) =>
      sendFull(
        api.GET("/v1/check-alerts", {
          params: {
            query: {
              limit: alertPageSize,
              page,
              ...(search !== undefined && { search }),
              ...(alertType !== undefined && { alertType: alertType as "ALERT_FAILURE" }),
              ...(show !== undefined && { isHeld: show === "held" }),
            },
          },
          signal,
        }),
      ),
    refetchInterval: 15_000,
    placeholderData: (before) => before,
  });

/** Fetches the details of an alert: its decisions, notifications and upcoming steps. */
export const storyQuery = (alertId: string) =>
  queryOptions({
    queryKey: ["alerts", "story", alertId],
    meta: { events: alertEvents },
    queryFn: () => send(api.GET("/v1/alert-stories/{id}", { params: { path: { id: alertId } } })),
    refetchInterval: 15_000,
  });

/** Fetches the newest runs before an alert. */
export const leadingRunsQuery = (checkId: string, decidedAt: string) =>
  queryOptions({
    queryKey: ["alerts", "runs", checkId, decidedAt],
    meta: { events: alertEvents },
    queryFn: () =>
      send(
        api.GET("/v2/check-results/{checkId}", {
          params: {
            path: { checkId },
            query: {
              limit: 20,
              resultType: "FINAL",
              to: Math.ceil(Date.parse(decidedAt) / 1_000) + 1,
            },
          },
        }),
      ),
    staleTime: 60_000,
  });

export interface Shown {
  readonly page: number;
  readonly search: string;
  readonly which: "on" | "off" | "all";
}

export const subscriberPageSize = 50;

/** Fetches a page of checks and groups, and whether each of them sends alerts to the channel. */
export const subscribersQuery = (id: number, { page, search, which }: Shown) =>
  queryOptions({
    queryKey: ["alert-channels", "subscribers", id, { page, search, which }],
    meta: { events: ["alert-channel"] },
    queryFn: ({ signal }) =>
      sendFull(
        api.GET("/v1/alert-channels/{id}/subscribers", {
          params: {
            path: { id },
            query: {
              limit: subscriberPageSize,
              page,
              ...(search.trim() !== "" && { search: search.trim() }),
              ...(which !== "all" && { isSubscribed: which === "on" }),
            },
          },
          signal,
        }),
      ),
    placeholderData: (before) => before,
  });

/** Fetches the check that an alert belongs to. */
export const storyCheckQuery = (checkId: string) =>
  queryOptions({
    queryKey: ["checks", checkId, "story"],
    meta: { events: ["check"] },
    queryFn: () => send(api.GET("/v1/checks/{id}", { params: { path: { id: checkId } } })),
  });

/** Maximum number of subscribers that are listed by name before a channel is deleted. */
export const maxNames = 8;

type Subscription = Channel["subscriptions"][number];

const nameCheck = async (id: string) =>
  (await send(api.GET("/v1/checks/{id}", { params: { path: { id } } }))).name;

const nameGroup = async (id: number) =>
  (await send(api.GET("/v1/check-groups/{id}", { params: { path: { id } } }))).name;

async function nameSubscriber({ checkId, groupId }: Subscription): Promise<string> {
  if (checkId !== null) return nameCheck(checkId);
  return `${words.channel.group} ${await nameGroup(groupId ?? 0)}`;
}

export const subscriberNamesQuery = ({ id, subscriptions }: Channel) =>
  queryOptions({
    queryKey: ["alert-channels", "names", id, subscriptions],
    meta: { events: ["alert-channel"] },
    queryFn: () =>
      Promise.all(
        subscriptions
          .slice(0, maxNames)
          // `null` if the name cannot be fetched, for example because the subscriber was deleted.
          .map((one) => nameSubscriber(one).catch(() => null)),
      ),
  });
