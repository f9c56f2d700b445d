import { Type } from "typebox";
import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import {
  SubscriptionBody,
  SubscriptionSchema,
  toWireSubscription,
} from "../../alert-channels/index.ts";
import type { ChecksContext } from "../context.ts";
import { subscribe } from "./actions.ts";

const ChannelParams = Type.Object({
  id: Type.Integer({ description: "The channel's id.", minimum: 1, maximum: 2_147_483_647 }),
});

export function addSubscriptionRoutes(server: HttpServer, context: ChecksContext): void {
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
}
