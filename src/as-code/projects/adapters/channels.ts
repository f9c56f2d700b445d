import {
  addSubscriptions,
  type ChannelType,
  changeChannel,
  channelKinds,
  createChannel,
  listChannelsByIds,
  listOwnChannels,
  listSubscriptions,
  maskConfig,
  parseChannel,
  removeChannel,
  removeSubscriptions,
  saveSubscription,
  unsealChannel,
} from "../../../channels/alert-channels/index.ts";
import { invalid } from "../../../platform/errors.ts";
import { type Definition, type Fields, toFields } from "../resource.ts";
import {
  type Adapter,
  type AdapterTools,
  createEach,
  describePlain,
  listIdsOf,
  readPages,
} from "./adapter.ts";

type ChannelInput = ReturnType<typeof parseChannel>;

function describeChannel(
  input: Omit<ChannelInput, "type"> & { readonly type: string },
): Definition {
  const { type, config, sendRecovery, sendFailure, sendDegraded } = input;
  const { sslExpiry, sslExpiryThreshold, autoSubscribe, digest } = input;
  const options = { sendRecovery, sendFailure, sendDegraded, sslExpiry, sslExpiryThreshold };
  const clear = toFields({ type, config, ...options, autoSubscribe, digest });
  const masked = maskConfig(channelKinds[type as ChannelType], config);
  return { clear, shown: { ...clear, config: toFields(masked) } };
}

const listChannels = ({ context, caller }: AdapterTools) =>
  readPages(async (page) => (await listOwnChannels(context, caller, page)).channels);

export const channelAdapter: Adapter<ChannelInput> = {
  hasNumbers: true,
  listIds: async (tools) => listIdsOf(await listChannels(tools)),
  parse: (payload, stored) => {
    const input = parseChannel(payload, stored as ChannelInput | null);
    return { input, definition: describeChannel(input) };
  },
  load: async ({ context, caller }, ids) => {
    const found = await listChannelsByIds(context.db, caller.accountId, ids.map(Number));
    return new Map(
      found.map((channel) => [
        String(channel.id),
        describeChannel(unsealChannel(context, channel) as ChannelInput),
      ]),
    );
  },
  create: ({ context, caller }, items) =>
    createEach(items, async (input) => String((await createChannel(context, caller, input)).id)),
  change: async ({ context, caller }, id, input) => {
    await changeChannel(context, caller, { id: Number(id), input });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await removeChannel(context, caller, Number(id));
  },
};

interface SubscriptionInput {
  readonly alertChannelId: number;
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly activated: boolean;
}

/** Formats the id of a subscription from the ids of the channel and of the check or group. */
export const formatSubscriptionId = ({
  alertChannelId,
  checkId,
  groupId,
}: Omit<SubscriptionInput, "activated">) =>
  checkId === null ? `${alertChannelId}/group/${groupId}` : `${alertChannelId}/check/${checkId}`;

function parseId(id: string): Omit<SubscriptionInput, "activated"> {
  const [channel = "", kind = "", subscriber = ""] = id.split("/");
  const alertChannelId = Number(channel);
  return kind === "check"
    ? { alertChannelId, checkId: subscriber, groupId: null }
    : { alertChannelId, checkId: null, groupId: Number(subscriber) };
}

function parseSubscription(payload: Fields): SubscriptionInput {
  const { alertChannelId, checkId = null, groupId = null, activated = true } = payload;
  if (typeof alertChannelId !== "number") throw invalid("alertChannelId", "is required");
  if ((checkId === null) === (groupId === null)) {
    throw invalid("checkId", "or groupId is required, but not both");
  }
  return {
    alertChannelId,
    checkId: checkId as string | null,
    groupId: groupId as number | null,
    activated: activated === true,
  };
}

/** Maximum number of checks per query, so that the result stays below the query's row limit. */
const checksPerQuery = 100;

/** Loads the subscriptions of the given checks and groups, keyed by subscription id. */
export async function loadSubscriptions(
  { context: { db }, caller: { accountId } }: AdapterTools,
  { checkIds, groupIds }: { readonly checkIds: string[]; readonly groupIds: number[] },
): Promise<Map<string, Definition>> {
  const found = await listSubscriptions(db, accountId, { groupIds });
  for (let at = 0; at < checkIds.length; at += checksPerQuery) {
    const some = checkIds.slice(at, at + checksPerQuery);
    found.push(...(await listSubscriptions(db, accountId, { checkIds: some })));
  }
  return new Map(
    found.map(({ id: _id, ...one }) => [formatSubscriptionId(one), describePlain(toFields(one))]),
  );
}

export const subscriptionAdapter: Adapter<SubscriptionInput> = {
  hasNumbers: false,
  listIds: async (tools) =>
    (await listChannels(tools)).flatMap(({ subscriptions }) =>
      subscriptions.map(formatSubscriptionId),
    ),
  parse: (payload) => {
    const input = parseSubscription(payload);
    return { input, definition: describePlain(toFields(input)) };
  },
  load: async (tools, ids) => {
    const asked = new Set(ids);
    const parsed = ids.map(parseId);
    const checkIds = [...new Set(parsed.flatMap(({ checkId }) => checkId ?? []))];
    const groupIds = [...new Set(parsed.flatMap(({ groupId }) => groupId ?? []))];
    const found = await loadSubscriptions(tools, { checkIds, groupIds });
    return new Map([...found].filter(([id]) => asked.has(id)));
  },
  create: async ({ context: { db }, caller: { accountId } }, items) => {
    const active = items.filter(({ input }) => input.activated && input.checkId !== null);
    for (const [channel, some] of Map.groupBy(active, ({ input }) => input.alertChannelId)) {
      const checkIds = some.flatMap(({ input }) => input.checkId ?? []);
      await addSubscriptions(db, accountId, { alertChannelIds: [channel], checkIds, groupIds: [] });
    }
    for (const item of items) {
      if (!active.includes(item)) await saveSubscription(db, accountId, item.input);
    }
    return items.map(({ input }) => formatSubscriptionId(input));
  },
  change: async ({ context: { db }, caller: { accountId } }, _id, input) => {
    await saveSubscription(db, accountId, input);
  },
  remove: async ({ context: { db }, caller: { accountId } }, ids) => {
    for (const { alertChannelId, checkId, groupId } of ids.map(parseId)) {
      await removeSubscriptions(db, accountId, {
        alertChannelIds: [alertChannelId],
        checkIds: checkId === null ? [] : [checkId],
        groupIds: groupId === null ? [] : [groupId],
      });
    }
  },
  // A subscription is changed with its channel, check or group.
  listAuditedIds: (_tools, id) => {
    if (id === null) return [];
    const { alertChannelId, checkId, groupId } = parseId(id);
    return [String(alertChannelId), checkId ?? String(groupId)];
  },
  mustReplace: (stored, desired) =>
    formatSubscriptionId(stored as unknown as SubscriptionInput) !==
    formatSubscriptionId(desired as unknown as SubscriptionInput),
};
