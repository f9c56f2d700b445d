import {
  changeCheck,
  definitions,
  listAccountCheckIds,
  listOwnGroups,
} from "../../../checks/checks/index.ts";
import { type Adapter, createEach, ItemError, listIdsOf, readPages } from "./adapter.ts";

const { checks, groups } = definitions;

type CheckInput = Omit<ReturnType<typeof checks.define>, "definition">;

export const checkAdapter: Adapter<CheckInput> = {
  hasNumbers: false,
  listIds: ({ context, caller }) => listAccountCheckIds(context.db, caller.accountId, null),
  parse: (payload, stored) => {
    const { definition, ...parsed } = checks.define(payload, stored);
    return { definition, input: parsed };
  },
  load: ({ context, caller }, ids) => checks.load(context, caller.accountId, ids),
  create: async ({ context, caller }, items) => {
    const requests = items.map(({ id, input: { type, input } }) => () => {
      return { id, type, input, autoAssignAlerts: false };
    });
    const creations = await checks.create(context, caller, requests);
    for (const [index, creation] of creations.entries()) {
      if (creation.kind === "created") continue;
      throw new ItemError(items[index]?.logicalId ?? "", creation.error);
    }
    return items.map(({ id }) => id);
  },
  change: async ({ context, caller }, id, { input, typed }) => {
    await changeCheck(context, caller, { id, input, typed });
  },
  remove: ({ context, caller }, ids) => checks.remove(context, caller, ids),
  maskExport: checks.maskPingToken,
  omitGenerated: checks.omitPingToken,
  mustReplace: (stored, desired) => stored.checkType !== desired.checkType,
};

type GroupInput = Omit<ReturnType<typeof groups.define>, "definition">;

export const groupAdapter: Adapter<GroupInput> = {
  hasNumbers: true,
  listIds: async ({ context, caller }) =>
    listIdsOf(await readPages(async (page) => (await listOwnGroups(context, caller, page)).groups)),
  parse: (payload, stored) => {
    const { definition, ...parsed } = groups.define(payload, stored);
    return { definition, input: parsed };
  },
  load: async ({ context, caller }, ids) => {
    const found = await groups.load(context, caller.accountId, ids.map(Number));
    return new Map([...found].map(([id, definition]) => [String(id), definition]));
  },
  create: ({ context, caller }, items) =>
    createEach(items, async ({ input }) =>
      String((await groups.create(context, caller, input)).id),
    ),
  change: async ({ context, caller }, id, { input, typed }) => {
    await groups.change(context, caller, { id: Number(id), input, typed });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await groups.remove(context, caller, { id: Number(id) });
  },
};
