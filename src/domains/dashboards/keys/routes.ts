import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { DashboardsContext } from "../context.ts";
import { DashboardParams, KeyList, KeyParams, KeySchema, toWireKey } from "../schema.ts";
import { addKey, listKeys, removeKey, rotateKey } from "./actions.ts";

const tags = ["Dashboards"];

export function addKeyRoutes(server: HttpServer, context: DashboardsContext): void {
  server.post(
    "/v1/dashboards/:dashboardId/keys",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createDashboardKey",
        summary: "Create a key of a dashboard",
        description: "The key is shown only in this response. 409 for a public dashboard.",
        params: DashboardParams,
        response: answers({ 201: KeySchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      const key = await addKey(context, caller, params.dashboardId);
      return reply.code(201).send(toWireKey(key));
    },
  );
  server.get(
    "/v1/dashboards/:dashboardId/keys",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listDashboardKeys",
        summary: "List the keys of a dashboard, masked",
        description: "Keys cannot be shown again.",
        params: DashboardParams,
        response: answers({ 200: KeyList }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      (await listKeys(context, caller, params.dashboardId)).map(toWireKey),
  );
  server.post(
    "/v1/dashboards/:dashboardId/keys/:keyId/rotate",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "rotateDashboardKey",
        summary: "Replace a key of a dashboard",
        description:
          "The new key is shown only in this response. Viewers with the old key lose access " +
          "immediately.",
        params: KeyParams,
        response: answers({ 200: KeySchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireKey(await rotateKey(context, caller, params)),
  );
  server.delete(
    "/v1/dashboards/:dashboardId/keys/:keyId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteDashboardKey",
        summary: "Delete a key of a dashboard",
        description: "Viewers with this key lose access immediately.",
        params: KeyParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeKey(context, caller, params);
      return reply.code(204).send(null);
    },
  );
}
