import { Type } from "typebox";
import type { Database } from "../../platform/database.ts";
import { answers, Described, Guid } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { getCheck } from "../checks/index.ts";

const ErrorGroupParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
const ErrorGroups = Type.Array(Type.Object({}), { description: "Always empty.", examples: [[]] });

/** This server does not group errors: a run has its own reasons. The list is therefore empty. */
export function addErrorGroupRoutes(server: HttpServer, context: { readonly db: Database }): void {
  server.get(
    "/v1/error-groups/checks/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags: ["Existing clients"],
        operationId: "listErrorGroups",
        summary: "List the error groups of a check",
        description:
          "Always empty: this server does not group errors. Each result has the reasons of its verdict.",
        params: ErrorGroupParams,
        response: answers({ 200: ErrorGroups }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      await getCheck(context, caller, params.checkId);
      return [];
    },
  );
}
