import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { IdempotencyHeaders } from "../../accounts/index.ts";
import type { ChecksContext } from "../context.ts";
import { AutoAssignQuery } from "../schema.ts";
import { createManyChecks } from "./actions.ts";
import { ManyAnswer, ManyBody, maxChecks, toWireMany } from "./schema.ts";

export function addManyRoutes(server: HttpServer, context: ChecksContext): void {
  server.post(
    "/v1/checks/many",
    {
      config: { access: "write" },
      schema: {
        tags: ["Checks"],
        operationId: "createManyChecks",
        summary: "Create many checks at once",
        description:
          `Up to ${maxChecks} of any kinds. Each is created or refused as if it came alone, and ` +
          "the answer says which: one that is refused stops no other. Each that is created is in " +
          "the audit log. Sent again with its `Idempotency-Key`, after an answer that was lost or a " +
          "server that died midway, it creates what is not there yet.",
        headers: IdempotencyHeaders,
        querystring: AutoAssignQuery,
        body: ManyBody,
        response: answers({ 200: ManyAnswer }, "conflict"),
      },
    },
    async ({ caller, headers, body, query }) => {
      const request = { ...body, ...query, idempotencyKey: headers["idempotency-key"] };
      return toWireMany(await createManyChecks(context, caller, request));
    },
  );
}
