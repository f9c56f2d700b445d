import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { CheckListContext } from "../context.ts";
import { changeChecks } from "./actions.ts";
import { BulkAnswerSchema, BulkBody, toWireAnswer } from "./schema.ts";

export function addBulkRoutes(server: HttpServer, context: CheckListContext): void {
  server.post(
    "/v1/checks/bulk",
    {
      config: { access: "write" },
      schema: {
        tags: ["Checks"],
        operationId: "changeChecks",
        summary: "Mute, activate, tag, move, connect, reschedule or delete many checks",
        description:
          "All in one transaction; the response contains the outcome of each check. A deletion is " +
          "final and includes results, statuses and alerts.",
        body: BulkBody,
        response: answers({ 200: BulkAnswerSchema }, "conflict"),
      },
    },
    async ({ caller, body }) => toWireAnswer(await changeChecks(context, caller, body)),
  );
}
