import {
  changeCheck,
  changeGroup,
  createGroup,
  createRequestedChecks,
  defineCheck,
  defineGroup,
  listAccountCheckIds,
  listOwnGroups,
  loadCheckDefinitions,
  loadGroupDefinitions,
  type NewCheck,
  removeChecks,
  removeGroup,
} from "../../checks/index.ts";
import { type Adapter, createEach, ItemError, listIdsOf, readPages } from "./adapter.ts";

export const checkAdapter: Adapter<NewCheck> = {
  hasNumbers: false,
  listIds: ({ context, caller }) => listAccountCheckIds(context.db, caller.accountId, null),
  parse: (payload, stored) => {
    const { definition, type, input } = defineCheck(payload, stored);
    return { definition, input: { type, input } };
  },
  load: ({ context, caller }, ids) => loadCheckDefinitions(context, caller.accountId, ids),
  create: async ({ context, caller }, items) => {
    const requests = items.map(({ id, input }) => () => ({
      ...input,
      id,
      autoAssignAlerts: false,
    }));
    const creations = await createRequestedChecks(context, caller, requests);
    for (const [index, creation] of creations.entries()) {
      if (creation.kind === "created") continue;
      throw new ItemError(items[index]?.logicalId ?? "", creation.error);
    }
    return items.map(({ id }) => id);
  },
  change: async ({ context, caller }, id, { input }) => {
    await changeCheck(context, caller, { id, input, isWhole: true });
  },
  remove: ({ context, caller }, ids) => removeChecks(context, caller, ids),
  mustReplace: (stored, desired) => stored.checkType !== desired.checkType,
};

type GroupInput = ReturnType<typeof defineGroup>["input"];

export const groupAdapter: Adapter<GroupInput> = {
  hasNumbers: true,
  listIds: async ({ context, caller }) =>
    listIdsOf(await readPages(async (page) => (await listOwnGroups(context, caller, page)).groups)),
  parse: (payload, stored) => defineGroup(payload, stored),
  load: async ({ context, caller }, ids) => {
    const found = await loadGroupDefinitions(context, caller.accountId, ids.map(Number));
    return new Map([...found].map(([id, definition]) => [String(id), definition]));
  },
  create: ({ context, caller }, items) =>
    createEach(items, async (input) => String((await createGroup(context, caller, input)).id)),
  change: async ({ context, caller }, id, input) => {
    await changeGroup(context, caller, { id: Number(id), input });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await removeGroup(context, caller, { id: Number(id) });
  },
};
