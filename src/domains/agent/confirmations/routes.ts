import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AgentContext } from "../context.ts";
import { declineAction, listOwnPending } from "./actions.ts";
import { confirmOne } from "./confirm.ts";
import {
  ConfirmationParams,
  ConfirmBody,
  ConfirmedSchema,
  DeclineParams,
  PendingList,
  toWireConfirmed,
  toWirePending,
} from "./schema.ts";

const tags = ["Agent"];

/** Routes for people, without a model: list and confirm proposed actions. */
export function addConfirmationRoutes(server: HttpServer, context: AgentContext): void {
  server.get(
    "/accounts/:accountId/ai/confirmations",
    {
      config: { access: "run" },
      schema: {
        tags,
        operationId: "listConfirmations",
        summary: "List proposed actions that wait for confirmation",
        description: "Only actions that the caller may confirm, newest first.",
        params: ConfirmationParams,
        response: answers({ 200: PendingList }),
      },
    },
    async ({ caller }) => (await listOwnPending(context, caller)).map(toWirePending),
  );
  server.post(
    "/accounts/:accountId/ai/confirmations",
    {
      config: { access: "run" },
      schema: {
        tags,
        operationId: "confirmAction",
        summary: "Confirm and execute a proposed action",
        description: "A token works once, and only for the caller it was shown to.",
        params: ConfirmationParams,
        body: ConfirmBody,
        response: answers({ 200: ConfirmedSchema }),
      },
    },
    async ({ caller, body }) => toWireConfirmed(await confirmOne(context, caller, body.token)),
  );
  server.delete(
    "/accounts/:accountId/ai/confirmations/:confirmationId",
    {
      config: { access: "run" },
      schema: {
        tags,
        operationId: "declineAction",
        summary: "Decline a proposed action",
        description:
          "It can no longer be confirmed. Every caller who may confirm it may decline it.",
        params: DeclineParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await declineAction(context, caller, params.confirmationId);
      return reply.code(204).send(null);
    },
  );
}
