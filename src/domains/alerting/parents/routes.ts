import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AlertingContext } from "../context.ts";
import { changeParents, readParents } from "./actions.ts";
import { ParentParams, ParentsSchema } from "./schema.ts";

const tags = ["Checks"];

export function addParentRoutes(server: HttpServer, context: AlertingContext): void {
  server.get(
    "/v1/checks/:id/parents",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getCheckParents",
        summary: "Read which checks a check depends on",
        description: "Empty: its alerts depend on no other check.",
        params: ParentParams,
        response: answers({ 200: ParentsSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => ({ parentIds: await readParents(context, caller, params.id) }),
  );
  server.put(
    "/v1/checks/:id/parents",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateCheckParents",
        summary:
          "Set which checks a check depends on; while one of them fails, its alerts are held",
        description: "Replaces the whole list. A cycle of checks is refused with 400.",
        params: ParentParams,
        body: ParentsSchema,
        response: answers({ 200: ParentsSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) => {
      const change = { checkId: params.id, parentIds: body.parentIds };
      return { parentIds: await changeParents(context, caller, change) };
    },
  );
}
