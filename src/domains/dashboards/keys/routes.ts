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
        summary: "Make a key of a dashboard; it is shown in this answer only",
        description: "For a private dashboard; a public one is answered with 409.",
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
        description: "The keys themselves cannot be shown again.",
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
        summary: "Replace a key; whoever came in with the old one is out at once",
        description: "The new key is in this answer only.",
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
        summary: "Delete a key; whoever came in with it is out at once",
        description: "The other keys stay.",
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
