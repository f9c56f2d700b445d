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
          `Up to ${maxChecks} checks of any kind. Each is created or rejected independently, and the ` +
          "response contains the outcome of each. Each created check is in the audit log. A retry " +
          "with the same `Idempotency-Key` creates only the checks that do not exist yet.",
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
