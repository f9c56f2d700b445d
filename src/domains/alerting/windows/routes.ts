import { answers, Nothing, sendTotal } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AlertingContext } from "../context.ts";
import { changeWindow, createWindow, getWindow, listOwnWindows, removeWindow } from "./actions.ts";
import {
  fromWireWindow,
  toWireWindow,
  WindowBody,
  WindowList,
  WindowParams,
  WindowQuery,
  WindowSchema,
} from "./schema.ts";

const tags = ["Maintenance windows"];

export function addWindowRoutes(server: HttpServer, context: AlertingContext): void {
  server.post(
    "/v1/maintenance-windows",
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Plan a maintenance window, once or again and again",
        body: WindowBody,
        response: answers({ 201: WindowSchema }, "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const window = await createWindow(context, caller, fromWireWindow(body));
      return reply.code(201).send(toWireWindow(window));
    },
  );
  server.get(
    "/v1/maintenance-windows",
    {
      config: { access: "read" },
      schema: {
        tags,
        summary: "List maintenance windows",
        querystring: WindowQuery,
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
        summary: "Read one maintenance window",
        params: WindowParams,
        response: answers({ 200: WindowSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireWindow(await getWindow(context, caller, params.id)),
  );
  server.put(
    "/v1/maintenance-windows/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Replace a maintenance window; what is left out gets its default",
        params: WindowParams,
        body: WindowBody,
        response: answers({ 200: WindowSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) => {
      const change = { id: params.id, wish: fromWireWindow(body) };
      return toWireWindow(await changeWindow(context, caller, change));
    },
  );
  server.delete(
    "/v1/maintenance-windows/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Delete a maintenance window",
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
