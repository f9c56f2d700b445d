import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { ChecksContext } from "../actions.ts";
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
        description: "Views shared with the account and the caller's own views.",
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
          "Anyone who is signed in may save 50 own views. Shared views require write access; an " +
          "account has at most 100. A service key can save shared views only.",
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
          "Omitted fields keep their value. Anyone with write access may change a shared view; only " +
          "the person who saved it may make it private.",
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
        description: "The checks in it are not affected.",
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
