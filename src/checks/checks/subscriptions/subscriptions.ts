import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import {
  addSubscriptions,
  findChannel,
  holdChannel,
  removeSubscriptions,
  type Subscription,
  SubscriptionSchema,
  saveSubscription,
  toWireSubscription,
} from "../../../channels/alert-channels/index.ts";
import { inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import {
  answers,
  Described,
  exampleId,
  Guid,
  OneOf,
  OrNull,
  PageQuery,
  RowId,
  sendTotal,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { ChecksContext } from "../actions.ts";
import { holdGroup } from "../groups/store.ts";
import { holdChecks } from "../store.ts";
import {
  holdSubscribersToChange,
  listPossibleSubscribers,
  type PossibleSubscriber,
  type SubscriberQuery,
} from "./subscriber-store.ts";

interface SubscriptionInput {
  readonly alertChannelId: number;
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly activated: boolean;
}

/** Lists the account's checks and groups, and whether each subscribes to the channel. */
async function listSubscribers(
  { db }: ChecksContext,
  { accountId }: Caller,
  query: SubscriberQuery & { readonly alertChannelId: number },
): Promise<{ readonly subscribers: PossibleSubscriber[]; readonly total: number }> {
  if ((await findChannel(db, accountId, query.alertChannelId)) === null) throw notFound();
  return listPossibleSubscribers(db, accountId, query);
}

/** Subscribes a check or a group to a channel, or deactivates the subscription. */
async function subscribe(
  context: ChecksContext,
  caller: Caller,
  input: SubscriptionInput,
): Promise<Subscription> {
  const { accountId } = caller;
  const { alertChannelId, checkId, groupId } = input;
  if ((checkId === null) === (groupId === null)) {
    throw invalid("checkId", "or groupId is required, but not both");
  }
  return inTransaction(context.db, async (db) => {
    const hasSubscriber =
      checkId === null
        ? (await holdGroup(db, accountId, groupId ?? 0)) !== null
        : (await holdChecks(db, accountId, [checkId])).size > 0;
    const hasChannel = await holdChannel(db, accountId, alertChannelId);
    if (!hasChannel || !hasSubscriber) throw notFound();
    const id = await saveSubscription(db, accountId, input);
    const at = context.clock.now();
    const changes = { checkId, groupId, activated: input.activated };
    const note = { action: "alert-channel.subscribed", targetId: String(alertChannelId), changes };
    await writeAuditEntry(db, caller, { ...note, at });
    return { ...input, id };
  });
}

/** Maximum number of checks, and of groups, whose subscriptions one request may change. */
const maxSubscribers = 100_000;

interface ManySubscribersInput {
  readonly alertChannelId: number;
  readonly activated: boolean;
  readonly search?: string | undefined;
  /**
   * Whether the subscriptions of groups change too. This is optional for subscribing: if all checks
   * subscribe, the checks in groups are already included. Unsubscribing always includes groups.
   */
  readonly hasGroups: boolean;
}

/**
 * Subscribes or unsubscribes all checks, and all groups if `hasGroups` is set. A search limits the
 * change to matching names.
 */
async function subscribeMany(
  context: ChecksContext,
  caller: Caller,
  input: ManySubscribersInput,
): Promise<{ readonly checks: number; readonly groups: number }> {
  const { accountId } = caller;
  const { alertChannelId, activated, search, hasGroups } = input;
  return inTransaction(context.db, async (db) => {
    if (!(await holdChannel(db, accountId, alertChannelId))) throw notFound();
    const filter = { alertChannelId, activated, search, limit: maxSubscribers };
    const found = await holdSubscribersToChange(db, accountId, filter);
    const { checkIds } = found;
    const groupIds = hasGroups ? found.groupIds : [];
    if (checkIds.length > maxSubscribers || groupIds.length > maxSubscribers) {
      throw conflict(
        `more than ${maxSubscribers} subscriptions would change; narrow them with search`,
      );
    }
    const change = { alertChannelIds: [alertChannelId], checkIds, groupIds };
    await (activated ? addSubscriptions : removeSubscriptions)(db, accountId, change);
    const changes = {
      ...{ activated, search: search ?? null },
      ...{ checks: checkIds.length, groups: groupIds.length },
    };
    const note = { action: "alert-channel.subscribed", targetId: String(alertChannelId), changes };
    await writeAuditEntry(db, caller, { ...note, at: context.clock.now() });
    return { checks: checkIds.length, groups: groupIds.length };
  });
}

const SubscriptionBody = Type.Object(
  {
    checkId: Described(
      Type.Optional(OrNull(Guid)),
      "The subscribed check. Set either a check or a group.",
      exampleId,
    ),
    groupId: Described(Type.Optional(OrNull(RowId)), "The subscribed group."),
    activated: Type.Boolean({ description: "If false, nothing is sent.", examples: [true] }),
  },
  { title: "AlertChannelSubscriptionInput" },
);

const ChannelParams = Type.Object({
  id: Type.Integer({ description: "The channel's id.", minimum: 1, maximum: 2_147_483_647 }),
});

const SubscribersQuery = Type.Object({
  ...PageQuery,
  search: Type.Optional(
    Type.String({
      description: "Only checks and groups whose name contains this text.",
      minLength: 1,
      maxLength: 200,
    }),
  ),
  isSubscribed: Type.Optional(
    Type.Boolean({ description: "If true, only direct subscribers; if false, only the others." }),
  ),
});

const SubscriberList = Type.Array(
  Type.Object(
    {
      checkId: Described(OrNull(Guid), "The check; `null` for a group."),
      groupId: Described(OrNull(Type.Integer()), "The group; `null` for a check.", null),
      name: Type.String({ description: "Name of the check or group.", examples: ["Router"] }),
      isSubscribed: Type.Boolean({
        description: "True if it subscribes to the channel.",
        examples: [true],
      }),
      throughGroup: Described(
        OrNull(Type.String()),
        "For a check: the name of its group if the group subscribes; `null` otherwise.",
        null,
      ),
    },
    { title: "AlertChannelSubscriber" },
  ),
);

const ManySubscribersBody = Type.Object(
  {
    activated: Type.Boolean({
      description: "If true, subscribe them to the channel; if false, unsubscribe them.",
      examples: [true],
    }),
    of: Described(
      Type.Optional(OneOf(["checks", "all"])),
      "`checks` (the default) or `all`, which includes groups. Disconnecting always includes groups.",
      "checks",
    ),
    search: Type.Optional(
      Type.String({
        description: "Only checks and groups whose name contains this text.",
        minLength: 1,
        maxLength: 200,
        examples: ["shop"],
      }),
    ),
  },
  { title: "AlertChannelSubscribersInput" },
);

const ManySubscribersAnswer = Type.Object(
  {
    checks: Type.Integer({ description: "Number of checks changed.", examples: [14] }),
    groups: Type.Integer({ description: "Number of groups changed.", examples: [0] }),
  },
  { title: "AlertChannelSubscribersChange" },
);

function addManyRoute(server: HttpServer, context: ChecksContext): void {
  server.put(
    "/v1/alert-channels/:id/subscribers",
    {
      config: { access: "write" },
      schema: {
        tags: ["Alert channels"],
        operationId: "updateAlertChannelSubscribers",
        summary: "Subscribe or unsubscribe all checks of a channel",
        description:
          `Runs in one transaction. Returns 409 if more than ${maxSubscribers} subscriptions would ` +
          "change; narrow them with `search`.",
        params: ChannelParams,
        body: ManySubscribersBody,
        response: answers({ 200: ManySubscribersAnswer }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body: { activated, of = "checks", search } }) => {
      const hasGroups = of === "all" || !activated;
      const input = { alertChannelId: params.id, activated, search, hasGroups };
      return subscribeMany(context, caller, input);
    },
  );
}

export function addSubscriptionRoutes(server: HttpServer, context: ChecksContext): void {
  server.get(
    "/v1/alert-channels/:id/subscribers",
    {
      config: { access: "read" },
      schema: {
        tags: ["Alert channels"],
        operationId: "listAlertChannelSubscribers",
        summary: "List checks and groups with their subscription to a channel",
        description:
          "Groups first, then by name. Paginated by `limit`; the total is in `Content-Range`.",
        params: ChannelParams,
        querystring: SubscribersQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: SubscriberList }, "notFound"),
      },
    },
    async ({ caller, params, query }, reply) => {
      const filter = { ...query, alertChannelId: params.id };
      const { subscribers, total } = await listSubscribers(context, caller, filter);
      sendTotal(reply, query, total);
      return subscribers;
    },
  );
  server.put(
    "/v1/alert-channels/:id/subscriptions",
    {
      config: { access: "write" },
      schema: {
        tags: ["Alert channels"],
        operationId: "updateAlertChannelSubscription",
        summary: "Subscribe a check or a group to a channel, or stop it",
        description:
          "Takes either a check or a group. `activated: false` keeps the subscription " +
          "but sends nothing.",
        params: ChannelParams,
        body: SubscriptionBody,
        response: answers({ 200: SubscriptionSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) => {
      const { checkId = null, groupId = null, activated } = body;
      const input = { alertChannelId: params.id, checkId, groupId, activated };
      return toWireSubscription(await subscribe(context, caller, input));
    },
  );
  addManyRoute(server, context);
}
