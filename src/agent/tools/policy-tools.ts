import { Type } from "typebox";
import { listRoster } from "../../access/accounts/index.ts";
import { listOwnChannels } from "../../channels/alert-channels/index.ts";
import { type EscalationTarget, listPolicies } from "../../channels/escalation-policies/index.ts";
import { listEverySchedule } from "../../response/on-call/index.ts";
import { defineReadTool } from "../tool.ts";
import { ListEscalationPoliciesSchema } from "../tool-shapes/directory-data.ts";
import { describeChannel } from "./result-tools.ts";
import { limitSources, linkSource } from "./sources.ts";

const maxPolicies = 50;
const maxListed = 500;

export const listEscalationPoliciesTool = defineReadTool({
  name: "list_escalation_policies",
  title: "List escalation policies",
  description:
    "Escalation policies: who is alerted after how many minutes without acknowledgement.",
  InputSchema: Type.Object({}, { additionalProperties: false }),
  DataSchema: ListEscalationPoliciesSchema,
  run: async (context, caller) => {
    const { accountId } = caller;
    const found = await listPolicies(context.db, accountId, { limit: maxPolicies + 1 });
    const page = { limit: maxListed, page: 1 };
    const { channels } = await listOwnChannels(context, caller, page);
    const people = await listRoster(context, caller, { type: "member", limit: maxListed });
    const schedules = await listEverySchedule(context.db, accountId);
    const names = new Map<string, string>([
      ...channels.map((one) => [`channel ${one.id}`, describeChannel(one)] as const),
      ...people.map((one) => {
        const name = one.type === "member" ? one.name : null;
        return [`member ${one.id}`, name ?? one.email] as const;
      }),
      ...schedules.map(({ id, name }) => [`schedule ${id}`, `${name} (schedule)`] as const),
    ]);
    const policies = found.slice(0, maxPolicies).map(({ id, name, steps, repeat, ...one }) => ({
      policyId: id,
      name,
      steps: steps.map(({ afterMinutes, targets }) => ({
        afterMinutes,
        targets: targets.map((target) => names.get(keyOf(target)) ?? "a deleted target"),
      })),
      rounds: repeat + 1,
      usesFallback: one.fallbackChannelId !== null,
    }));
    const sources = policies.map(({ policyId: id, name: label }) =>
      linkSource(context, { id, label, path: `/on-call/policies/${id}` }),
    );
    const data = { policies, isTruncated: found.length > maxPolicies };
    return { data, sources: limitSources(sources) };
  },
});

function keyOf(target: EscalationTarget): string {
  if ("scheduleId" in target) return `schedule ${target.scheduleId}`;
  return "userId" in target ? `member ${target.userId}` : `channel ${target.channelId}`;
}
