import { Type } from "typebox";
import { answers, Described, Guid } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AlertingContext } from "../context.ts";
import { changeParents, readParents } from "./actions.ts";

const ParentParams = Type.Object({ id: Described(Guid, "The check's id.") });

const ParentsSchema = Type.Object(
  {
    parentIds: Type.Array(Guid, {
      description: "Ids of the checks that this check depends on.",
      examples: [["7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10"]],
      maxItems: 20,
      uniqueItems: true,
    }),
  },
  { title: "CheckParents" },
);

const tags = ["Checks"];

export function addParentRoutes(server: HttpServer, context: AlertingContext): void {
  server.get(
    "/v1/checks/:id/parents",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getCheckParents",
        summary: "Get the parents of a check",
        description: "The checks that this check depends on. Empty if there are none.",
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
        summary: "Set the parents of a check; its alerts are held while a parent fails",
        description: "Replaces the whole list. Returns 400 if the parents would form a cycle.",
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
