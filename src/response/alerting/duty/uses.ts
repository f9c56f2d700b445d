/** Counts the checks whose alerts reach escalation policies and on-call schedules. */
import { Type } from "typebox";
import { mapChannels, mapSubscribedChannelIds } from "../../../channels/alert-channels/index.ts";
import {
  type EscalationPolicy,
  listPolicyNames,
  mapPolicies,
} from "../../../channels/escalation-policies/index.ts";
import { type CheckPolicy, listCheckPolicies } from "../../../checks/checks/index.ts";
import type { Database } from "../../../platform/database.ts";
import { answers, Described, Guid } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { getSettings } from "../settings/settings-store.ts";

export interface Use {
  /** Number of checks whose alerts reach the policy or the schedule. */
  readonly checkCount: number;
  /** Number of these checks that are failing or degraded now. */
  readonly troubledCount: number;
}

interface Uses {
  readonly policies: ReadonlyMap<string, Use>;
  readonly schedules: ReadonlyMap<string, Use>;
  /** Number of checks of the account that are failing or degraded now. */
  readonly troubledCount: number;
}

function countChecks(checks: Iterable<CheckPolicy>): Use {
  const all = [...checks];
  return { checkCount: all.length, troubledCount: all.filter((one) => one.isTroubled).length };
}

/** Returns the ids of the schedules that channels of type ONCALL page, by channel id. */
async function mapPagedSchedules(
  db: Database,
  channelIds: readonly number[],
): Promise<Map<number, string>> {
  const channels = await mapChannels(db, [...new Set(channelIds)]);
  return new Map(
    [...channels.values()].flatMap(({ id, type, config }) => {
      const { scheduleId } = config;
      return type === "ONCALL" && typeof scheduleId === "string" ? [[id, scheduleId]] : [];
    }),
  );
}

/** Returns the schedules that a policy pages: as targets, or through the channels of its steps. */
const listPolicySchedules = (
  { steps }: EscalationPolicy,
  paged: ReadonlyMap<number, string>,
): string[] =>
  steps.flatMap(({ targets, channelIds }) => [
    ...targets.flatMap((one) => ("scheduleId" in one ? [one.scheduleId] : [])),
    ...channelIds.flatMap((id) => paged.get(id) ?? []),
  ]);

/** Counts the checks of each policy, and of each schedule that checks or the account reach. */
export async function countUses(db: Database, accountId: string): Promise<Uses> {
  const names = await listPolicyNames(db, accountId);
  const policies = await mapPolicies(
    db,
    names.map(({ id }) => id),
  );
  const { escalationPolicyId } = await getSettings(db, accountId);
  const checks = await listCheckPolicies(db, accountId);
  const subscribed = await mapSubscribedChannelIds(db, checks);
  const paged = await mapPagedSchedules(db, [
    ...[...subscribed.values()].flat(),
    ...[...policies.values()].flatMap(({ steps }) => steps.flatMap((step) => step.channelIds)),
  ]);
  const ofAccount = policies.get(escalationPolicyId?.toLowerCase() ?? "");
  const policyOf = ({ policyId }: CheckPolicy) => policies.get(policyId ?? "") ?? ofAccount;
  const bySchedule = new Map(
    (ofAccount === undefined ? [] : listPolicySchedules(ofAccount, paged)).map((id) => [
      id,
      new Set<CheckPolicy>(),
    ]),
  );
  for (const check of checks) {
    const policy = policyOf(check);
    const channels = subscribed.get(check.checkId) ?? [];
    for (const scheduleId of [
      ...(policy === undefined ? [] : listPolicySchedules(policy, paged)),
      ...channels.flatMap((id) => paged.get(id) ?? []),
    ]) {
      bySchedule.set(scheduleId, (bySchedule.get(scheduleId) ?? new Set()).add(check));
    }
  }
  const byPolicy = Map.groupBy(checks, (check) => policyOf(check)?.id);
  return {
    policies: new Map(names.map(({ id }) => [id, countChecks(byPolicy.get(id) ?? [])])),
    schedules: new Map([...bySchedule].map(([id, some]) => [id, countChecks(some)])),
    troubledCount: countChecks(checks).troubledCount,
  };
}

const UseSchema = (id: string) =>
  Type.Object({
    id: Described(Guid, id),
    checkCount: Type.Integer({
      description: "Number of checks whose alerts reach it; 0 if no alert does.",
      examples: [12],
    }),
    troubledCount: Type.Integer({
      description: "Number of these checks that are failing or degraded now.",
      examples: [0],
    }),
  });

const UsesSchema = Type.Object(
  {
    policies: Type.Array(UseSchema("Id of the escalation policy."), {
      description: "All escalation policies.",
    }),
    schedules: Type.Array(UseSchema("Id of the schedule."), {
      description:
        "The schedules that a check or the policy of the account reaches, by a policy or a channel.",
    }),
    troubledCount: Type.Integer({
      description: "Number of all checks of the account that are failing or degraded now.",
      examples: [0],
    }),
  },
  { title: "OnCallUses" },
);

const toWire = (uses: ReadonlyMap<string, Use>) => [...uses].map(([id, use]) => ({ id, ...use }));

export function addUsesRoutes(server: HttpServer, { db }: { readonly db: Database }): void {
  server.get(
    "/v1/on-call/uses",
    {
      config: { access: "read" },
      schema: {
        tags: ["On call"],
        operationId: "listOnCallUses",
        summary: "Count the checks that reach each policy and schedule",
        description:
          "A policy applies to the checks that select it, or whose group does, and as the policy of " +
          "the account to all checks that select no other. A policy that no check uses pages nobody.",
        response: answers({ 200: UsesSchema }),
      },
    },
    async ({ caller }) => {
      const { policies, schedules, troubledCount } = await countUses(db, caller.accountId);
      return { policies: toWire(policies), schedules: toWire(schedules), troubledCount };
    },
  );
}
