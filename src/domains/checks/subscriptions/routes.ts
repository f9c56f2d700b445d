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
import type { ChecksContext } from "../context.ts";
import { listSubscribers, maxSubscribers, subscribe, subscribeMany } from "./actions.ts";

const ChannelParams = Type.Object({
  id: Type.Integer({ description: "The channel's id.", minimum: 1, maximum: 2_147_483_647 }),
});

const SubscribersQuery = Type.Object({
  ...PageQuery,
  search: Type.Optional(
    Type.String({
      description: "Only those whose name contains this text.",
      minLength: 1,
      maxLength: 200,
    }),
  ),
  isSubscribed: Type.Optional(
    Type.Boolean({ description: "Only those that send there themselves, or only the others." }),
  ),
});

const SubscriberList = Type.Array(
  Type.Object(
    {
      checkId: Described(OrNull(Guid), "The check; null: it is a group."),
      groupId: Described(OrNull(Type.Integer()), "The group; null: it is a check.", null),
      name: Type.String({ description: "What it is called.", examples: ["Router"] }),
      isSubscribed: Type.Boolean({ description: "True: it sends there.", examples: [true] }),
      throughGroup: Described(
        OrNull(Type.String()),
        "Of a check: its group, if that sends there, and so the check too; null: it does not.",
        null,
      ),
    },
    { title: "AlertChannelSubscriber" },
  ),
);

const ManySubscribersBody = Type.Object(
  {
    activated: Type.Boolean({
      description: "True: connect them to the channel; false: disconnect them.",
      examples: [true],
    }),
    of: Described(
      Type.Optional(OneOf(["checks", "all"])),
      "`checks` (the default) or `all`, which includes groups. Disconnecting always includes groups.",
      "checks",
    ),
    search: Type.Optional(
      Type.String({
        description: "Only those whose name contains this text.",
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
    checks: Type.Integer({ description: "How many checks were changed.", examples: [14] }),
    groups: Type.Integer({ description: "How many groups were changed.", examples: [0] }),
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
        summary: "Connect all checks to a channel, or disconnect them, at once",
        description:
          `In one transaction. Answers 409 if more than ${maxSubscribers} would change: then ` +
          "change them in parts by `search`.",
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
        summary: "List checks and groups, and which of them alert through a channel",
        description:
          "Groups first, then by name, in pages of `limit`; the total is in `Content-Range`.",
        params: ChannelParams,
        querystring: SubscribersQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: SubscriberList }, "notFound"),
      },
    },
    async ({ caller, params, query }, reply) => {
      const asked = { ...query, alertChannelId: params.id };
      const { subscribers, total } = await listSubscribers(context, caller, asked);
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
        summary: "Let a check or a group alert through a channel, or stop it",
        description:
          "Names either a check or a group. `activated: false` keeps the subscription " +
          "and sends nothing.",
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
