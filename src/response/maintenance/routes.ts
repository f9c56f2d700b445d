import { isFromClient } from "../../platform/http/client-dialect.ts";
import { answers, Nothing, sendTotal } from "../../platform/http/schema.ts";
import { IfMatchHeaders, sendTagged } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { changeWindow, createWindow, getWindow, listOwnWindows, removeWindow } from "./actions.ts";
import type { MaintenanceContext } from "./planned-window.ts";
import {
  fromWireWindow,
  tagWindow,
  toWireWindow,
  WindowBody,
  WindowList,
  WindowParams,
  WindowQuery,
  WindowSchema,
} from "./schema.ts";

const tags = ["Maintenance windows"];

export function addWindowRoutes(server: HttpServer, context: MaintenanceContext): void {
  server.post(
    "/v1/maintenance-windows",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createMaintenanceWindow",
        summary: "Create a maintenance window",
        description:
          "A window opens once or recurs. It silences the alerts of the checks that have one of " +
          "its tags, and can be shown on status pages.",
        body: WindowBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: WindowSchema }, "conflict"),
      },
    },
    async (request, reply) => {
      const input = fromWireWindow(request.body, isFromClient(request));
      const window = await createWindow(context, request.caller, input);
      return reply.code(201).send(sendTagged(reply, tagWindow(window), toWireWindow(window)));
    },
  );
  server.get(
    "/v1/maintenance-windows",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listMaintenanceWindows",
        summary: "List maintenance windows",
        description: "Paginated by `limit` and `page`; the total is in `Content-Range`.",
        querystring: WindowQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: WindowList }),
      },
    },
    async ({ caller, query }, reply) => {
      const { windows, total } = await listOwnWindows(context, caller, query);
      sendTotal(reply, query, total);
      return windows.map(toWireWindow);
    },
  );
  server.get(
    "/v1/maintenance-windows/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getMaintenanceWindow",
        summary: "Get a maintenance window",
        description: "Times are in UTC.",
        params: WindowParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: WindowSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const window = await getWindow(context, caller, params.id);
      return sendTagged(reply, tagWindow(window), toWireWindow(window));
    },
  );
  server.put(
    "/v1/maintenance-windows/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateMaintenanceWindow",
        summary: "Replace a maintenance window",
        description:
          "Omitted fields are set to their defaults. Takes effect immediately, even while the " +
          "window is open. With `If-Match`, a change made since then causes 412.",
        headers: IfMatchHeaders,
        params: WindowParams,
        body: WindowBody,
        answerHeaders: ["ETag"],
        response: answers({ 200: WindowSchema }, "notFound", "preconditionFailed"),
      },
    },
    async (request, reply) => {
      const { caller, headers, params, body } = request;
      const input = fromWireWindow(body, isFromClient(request));
      const change = { id: params.id, input, ifMatch: headers["if-match"] };
      const window = await changeWindow(context, caller, change);
      return sendTagged(reply, tagWindow(window), toWireWindow(window));
    },
  );
  server.delete(
    "/v1/maintenance-windows/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteMaintenanceWindow",
        summary: "Delete a maintenance window",
        description: "Takes effect immediately.",
        params: WindowParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeWindow(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
