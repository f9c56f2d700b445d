import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, send, sendFull } from "../api/client.ts";
import { fetchAll } from "../api/fetch-all.ts";
import type { components } from "../api/schema.d.ts";
import type { Version } from "../editing/index.ts";

type Schemas = components["schemas"];

export type Schedule = Schemas["OnCallSchedule"];
export type ScheduleInput =
  components["requestBodies"]["OnCallScheduleInput"]["content"]["application/json"];
export type Now = Schemas["OnCallNow"];
export type Shifts = Schemas["OnCallShifts"];
export type Shift = Shifts["shifts"][number];
export type Override = Schemas["OnCallOverride"];
export type Report = Schemas["OnCallReport"];
export type Policy = Schemas["EscalationPolicy"];
export type PolicyInput =
  components["requestBodies"]["EscalationPolicyInput"]["content"]["application/json"];
export type PolicyStep = Policy["steps"][number];
export type PolicyTarget = PolicyStep["targets"][number];
export type Rehearsal = Schemas["Rehearsal"];
export type RehearsalInput =
  components["requestBodies"]["UnsavedPolicyRehearsalInput"]["content"]["application/json"];
export type Swap = Schemas["OnCallSwap"];

export const shownDays = 14;

/**
 * Returns the displayed time range. It starts at midnight, so that the query key changes only once
 * a day.
 */
export function findRange(nowMs: number): { readonly from: string; readonly to: string } {
  const from = new Date(nowMs);
  from.setHours(0, 0, 0, 0);
  const to = new Date(from);
  to.setDate(to.getDate() + shownDays);
  return { from: from.toISOString(), to: to.toISOString() };
}

export const nowQuery = queryOptions({
  queryKey: ["on-call", "now"],
  meta: { events: ["on-call-schedule", "on-call-override", "member"] },
  queryFn: ({ signal }) => send(api.GET("/v1/on-call/now", { signal })),
  refetchInterval: 60_000,
});

export const warningsQuery = queryOptions({
  queryKey: ["on-call", "warnings"],
  meta: { events: ["on-call-schedule", "on-call-override", "member", "alert-settings"] },
  queryFn: ({ signal }) => send(api.GET("/v1/on-call/warnings", { signal })),
  refetchInterval: 60_000,
});

/** Fetches how many checks reach each policy and schedule. Unreached schedules are missing. */
export const usesQuery = queryOptions({
  queryKey: ["on-call", "uses"],
  meta: {
    events: [
      ...(["escalation-policy", "on-call-schedule", "alert-settings", "alert-channel"] as const),
      ...(["check", "check-group"] as const),
    ],
  },
  queryFn: ({ signal }) => send(api.GET("/v1/on-call/uses", { signal })),
});

export const reportQuery = (range: { readonly from: string; readonly to: string }) =>
  queryOptions({
    queryKey: ["on-call", "report", range.from, range.to],
    meta: { events: ["on-call-schedule", "on-call-override", "member"] },
    queryFn: ({ signal }) =>
      send(api.GET("/v1/on-call/report", { params: { query: range }, signal })),
    placeholderData: keepPreviousData,
  });

export function shiftsQuery(scheduleId: string, range: ReturnType<typeof findRange>) {
  return queryOptions({
    queryKey: ["on-call", scheduleId, "shifts", range.from],
    meta: { events: ["on-call-schedule", "on-call-override", "member"] },
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/on-call/schedules/{scheduleId}/shifts", {
          params: { path: { scheduleId }, query: range },
          signal,
        }),
      ),
  });
}

export function fetchSchedule(
  scheduleId: string,
  signal?: AbortSignal,
): Promise<Version<Schedule>> {
  const params = { path: { scheduleId } };
  return sendFull(
    api.GET("/v1/on-call/schedules/{scheduleId}", { params, ...(signal && { signal }) }),
  );
}

export const scheduleQuery = (scheduleId: string) =>
  queryOptions({
    queryKey: ["on-call", scheduleId, "schedule"],
    meta: { events: ["on-call-schedule", "member"] },
    queryFn: ({ signal }) => fetchSchedule(scheduleId, signal),
  });

export function previewQuery(
  input: ScheduleInput | null,
  { scheduleId, range }: { scheduleId: string | null; range: ReturnType<typeof findRange> },
) {
  return queryOptions({
    queryKey: ["on-call", "preview", scheduleId, range.from, input],
    meta: { events: ["on-call-override", "member"] },
    queryFn: ({ signal }) =>
      send(
        api.POST("/v1/on-call/schedules/preview", {
          params: { query: { ...range, ...(scheduleId !== null && { scheduleId }) } },
          body: input ?? { name: "" },
          signal,
        }),
      ),
    enabled: input !== null,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  });
}

export const overridesQuery = (scheduleId: string) =>
  queryOptions({
    queryKey: ["on-call", scheduleId, "overrides"],
    meta: { events: ["on-call-override", "on-call-swap", "member"] },
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/on-call/schedules/{scheduleId}/overrides", {
          params: { path: { scheduleId }, query: { limit: 100 } },
          signal,
        }),
      ),
  });

export const swapsQuery = (scheduleId: string) =>
  queryOptions({
    queryKey: ["on-call", scheduleId, "swaps"],
    meta: { events: ["on-call-swap"] },
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/on-call/schedules/{scheduleId}/swaps", {
          params: { path: { scheduleId } },
          signal,
        }),
      ),
  });

export const feedsQuery = queryOptions({
  queryKey: ["on-call", "feeds"],
  queryFn: ({ signal }) => send(api.GET("/v1/on-call/feeds", { signal })),
});

export interface Member {
  readonly userId: string;
  readonly name: string;
}

/** Fetches the members of the account, sorted by name. */
export const peopleQuery = queryOptions({
  queryKey: ["on-call", "people"],
  meta: { events: ["member"] },
  queryFn: async ({ signal }) => {
    const members = await fetchAll("members", async ({ limit, nextId }) => {
      const query = { limit, type: "member" as const, ...(nextId !== null && { nextId }) };
      const found = await send(api.GET("/v1/accounts/me/members", { params: { query }, signal }));
      return { entries: found.members, nextId: found.nextId };
    });
    return members
      .flatMap((one): Member[] =>
        one.type === "member" ? [{ userId: one.userId, name: one.name || one.email }] : [],
      )
      .sort((one, other) => one.name.localeCompare(other.name));
  },
  staleTime: 60_000,
});

/** Fetches the escalation policies of the account, sorted by name. */
export const policiesQuery = queryOptions({
  queryKey: ["on-call", "policies"],
  meta: { events: ["escalation-policy"] },
  queryFn: async ({ signal }) => {
    const policies = await fetchAll<Policy>("escalation policies", ({ limit, nextId }) => {
      const query = { limit, ...(nextId !== null && { nextId }) };
      return send(api.GET("/v1/escalation-policies", { params: { query }, signal }));
    });
    return policies.sort((one, other) => one.name.localeCompare(other.name));
  },
});

export function fetchPolicy(policyId: string, signal?: AbortSignal): Promise<Version<Policy>> {
  const params = { path: { policyId } };
  return sendFull(
    api.GET("/v1/escalation-policies/{policyId}", { params, ...(signal && { signal }) }),
  );
}

export const policyQuery = (policyId: string) =>
  queryOptions({
    queryKey: ["on-call", policyId, "policy"],
    meta: { events: ["escalation-policy"] },
    queryFn: ({ signal }) => fetchPolicy(policyId, signal),
  });

/** Fetches whom a policy would reach. The policy may be unsaved. */
export const rehearsalQuery = (body: RehearsalInput | null) =>
  queryOptions({
    queryKey: ["on-call", "rehearsal", body],
    meta: { events: ["on-call-schedule", "on-call-override", "member"] },
    queryFn: ({ signal }) => {
      if (body === null) throw new Error("There is nothing to rehearse.");
      return send(api.POST("/v1/escalation-policies/rehearse", { body, signal }));
    },
    enabled: body !== null,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  });
