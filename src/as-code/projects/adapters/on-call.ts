import { policyDefinitions } from "../../../channels/escalation-policies/index.ts";
import { invalid } from "../../../platform/errors.ts";
import { readSettings, selectAccountPolicy } from "../../../response/alerting/index.ts";
import { scheduleDefinitions } from "../../../response/on-call/index.ts";
import { type Fields, toFields } from "../resource.ts";
import { type Adapter, createEach, describePlain, listIdsOf } from "./adapter.ts";

type ScheduleInput = ReturnType<typeof scheduleDefinitions.parse>;

const describeSchedule = (input: ScheduleInput) =>
  describePlain(toFields(scheduleDefinitions.write(input)));

export const scheduleAdapter: Adapter<ScheduleInput> = {
  hasNumbers: false,
  listIds: async ({ context, caller }) =>
    listIdsOf(await scheduleDefinitions.list(context.db, caller.accountId)),
  parse: (payload) => {
    const input = scheduleDefinitions.parse(payload);
    return { input, definition: describeSchedule(input) };
  },
  load: async ({ context, caller }, ids) => {
    const asked = new Set(ids);
    const found = await scheduleDefinitions.list(context.db, caller.accountId);
    return new Map(
      found.filter(({ id }) => asked.has(id)).map((one) => [one.id, describeSchedule(one)]),
    );
  },
  create: ({ context, caller }, items) =>
    createEach(items, async (input) => {
      const create = { input, idempotencyKey: undefined };
      return (await scheduleDefinitions.create(context, caller, create)).schedule.id;
    }),
  change: async ({ context, caller }, id, input) => {
    await scheduleDefinitions.change(context, caller, { id, input, ifMatch: undefined });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await scheduleDefinitions.remove(context, caller, id);
  },
};

interface PolicyInput {
  readonly policy: ReturnType<typeof policyDefinitions.parse>;
  /** Whether this policy applies to all checks that have no other policy. */
  readonly accountDefault: boolean;
}

const describePolicy = ({ policy, accountDefault }: PolicyInput) =>
  describePlain(toFields({ ...policyDefinitions.write(policy), accountDefault }));

export const policyAdapter: Adapter<PolicyInput> = {
  hasNumbers: false,
  listIds: async ({ context, caller }) =>
    listIdsOf(await policyDefinitions.list(context.db, caller.accountId)).sort(),
  parse: (payload) => {
    const { accountDefault = false, ...body }: Fields = payload;
    if (typeof accountDefault !== "boolean") throw invalid("accountDefault", "must be boolean");
    const input = { policy: policyDefinitions.parse(body), accountDefault };
    return { input, definition: describePolicy(input) };
  },
  load: async ({ context, caller }, ids) => {
    const { settings } = await readSettings(context, caller);
    const found = await policyDefinitions.load(context.db, ids);
    const own = [...found.values()].filter(({ accountId }) => accountId === caller.accountId);
    return new Map(
      own.map((policy) => {
        const usesFallback = policy.fallbackChannelId !== null;
        const accountDefault = settings.escalationPolicyId === policy.id;
        const input = { policy: { ...policy, usesFallback }, accountDefault };
        return [policy.id, describePolicy(input)];
      }),
    );
  },
  create: ({ context, caller }, items) =>
    createEach(items, async ({ policy: input, accountDefault }) => {
      const create = { input, idempotencyKey: undefined };
      const { id } = await policyDefinitions.create(context, caller, create);
      if (accountDefault) await selectAccountPolicy(context, caller, { id, isSelected: true });
      return id;
    }),
  change: async ({ context, caller }, id, { policy: input, accountDefault: isSelected }) => {
    await policyDefinitions.change(context, caller, { id, input, ifMatch: undefined });
    await selectAccountPolicy(context, caller, { id, isSelected });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) {
      await selectAccountPolicy(context, caller, { id, isSelected: false });
      await policyDefinitions.remove(context, caller, id);
    }
  },
  // The alert settings of the account name its default policy.
  listAuditedIds: ({ caller }, id) => [caller.accountId, ...(id === null ? [] : [id])],
};
