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

/** For people, without any model: read what an agent wants to do, and confirm it. */
export function addConfirmationRoutes(server: HttpServer, context: AgentContext): void {
  server.get(
    "/accounts/:accountId/ai/confirmations",
    {
      config: { access: "run" },
      schema: {
        tags,
        operationId: "listConfirmations",
        summary: "List what agents proposed and nobody has confirmed yet",
        description: "Only what the caller may confirm, newest first.",
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
        summary: "Confirm an action that an agent proposed, which carries it out",
        description: "A token works once, and only for whom it was shown to.",
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
        summary: "Decline an action that an agent proposed, which nobody can confirm then",
        description: "Whoever may confirm it may decline it.",
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
