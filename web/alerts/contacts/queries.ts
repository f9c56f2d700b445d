import { queryOptions } from "@tanstack/react-query";
import { api, send, sendFull } from "../../api/client.ts";
import { fetchAll } from "../../api/fetch-all.ts";

/**
 * Fetches the schedules and members that an on-call channel can page. Returns a map from id to
 * label for each id field of the channel.
 */
export const pageTargetsQuery = queryOptions({
  queryKey: ["alert-channels", "page-targets"],
  meta: { events: ["member"] },
  queryFn: async ({ signal }) => {
    const [schedules, members] = await Promise.all([
      fetchAll("schedules", ({ limit, nextId }) => {
        const query = { limit, ...(nextId !== null && { nextId }) };
        return send(api.GET("/v1/on-call/schedules", { params: { query }, signal }));
      }),
      fetchAll("members", async ({ limit, nextId }) => {
        const query = { limit, type: "member" as const, ...(nextId !== null && { nextId }) };
        const found = await send(api.GET("/v1/accounts/me/members", { params: { query }, signal }));
        return { entries: found.members, nextId: found.nextId };
      }),
    ]);
    const people = members.flatMap((one) =>
      one.type === "member" ? [[one.userId, one.name || one.email] as const] : [],
    );
    const named = schedules.map(({ id, name }) => [id, name] as const);
    return new Map<string, ReadonlyMap<string, string>>([
      ["scheduleId", new Map(named)],
      ["userId", new Map(people)],
    ]);
  },
});

export const contactMethodsQuery = queryOptions({
  queryKey: ["contact-methods"],
  queryFn: () => send(api.GET("/v1/users/me/contact-methods")),
});

/** Fetches the member's notification rules with their ETag, which an update sends as `If-Match`. */
export const fetchNotificationRules = () => sendFull(api.GET("/v1/users/me/notification-rules"));

export const notificationRulesQuery = queryOptions({
  queryKey: ["notification-rules"],
  queryFn: fetchNotificationRules,
  refetchOnWindowFocus: false,
  staleTime: 0,
});

export const fetchPreferences = () => sendFull(api.GET("/v1/users/me/on-call-preferences"));

export const preferencesQuery = queryOptions({
  queryKey: ["on-call-preferences"],
  queryFn: fetchPreferences,
  refetchOnWindowFocus: false,
  staleTime: 0,
});
