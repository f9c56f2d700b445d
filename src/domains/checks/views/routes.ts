import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { ChecksContext } from "../context.ts";
import { changeView, createView, listOwnViews, removeView } from "./actions.ts";
import { toWireView, ViewBody, ViewChange, ViewList, ViewParams, ViewSchema } from "./schema.ts";

const tags = ["Check lists"];

export function addViewRoutes(server: HttpServer, context: ChecksContext): void {
  server.get(
    "/v1/views",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listViews",
        summary: "List the saved views of the checks list",
        description: "Those that are shared with the account, and the caller's own.",
        response: answers({ 200: ViewList }),
      },
    },
    async ({ caller }) => (await listOwnViews(context, caller)).map(toWireView),
  );
  server.post(
    "/v1/views",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "createView",
        summary: "Save a view of the checks list",
        description:
          "Anybody who is signed in may keep 50 views of their own. Shared ones, of which an " +
          "account has 100 at most, take the right to write; a key without a person has no others.",
        body: ViewBody,
        response: answers({ 201: ViewSchema }, "conflict"),
      },
    },
    async ({ caller, body }, reply) =>
      reply.code(201).send(toWireView(await createView(context, caller, body))),
  );
  server.put(
    "/v1/views/:id",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "updateView",
        summary: "Change a saved view",
        description:
          "A field that is left out keeps its value. Who may write may change a shared view; only " +
          "the person who saved it takes it back for themselves.",
        params: ViewParams,
        body: ViewChange,
        response: answers({ 200: ViewSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }) =>
      toWireView(await changeView(context, caller, { id: params.id, input: body })),
  );
  server.delete(
    "/v1/views/:id",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "deleteView",
        summary: "Delete a saved view",
        description: "The checks it shows stay as they are.",
        params: ViewParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeView(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
