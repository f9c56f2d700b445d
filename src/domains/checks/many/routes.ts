import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
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
          "the audit log.",
        querystring: AutoAssignQuery,
        body: ManyBody,
        response: answers({ 200: ManyAnswer }),
      },
    },
    async ({ caller, body, query }) =>
      toWireMany(await createManyChecks(context, caller, { ...body, ...query })),
  );
}
