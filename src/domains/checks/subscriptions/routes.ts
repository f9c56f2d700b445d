import { Type } from "typebox";
import {
  answers,
  Described,
  Guid,
  OneOf,
  OrNull,
  PageQuery,
  sendTotal,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import {
  SubscriptionBody,
  SubscriptionSchema,
  toWireSubscription,
} from "../../alert-channels/index.ts";
import type { ChecksContext } from "../actions.ts";
import { listSubscribers, maxSubscribers, subscribe, subscribeMany } from "./actions.ts";

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
