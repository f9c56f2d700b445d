import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { StatusPagesContext } from "../context.ts";
import {
  PageKeyList,
  PageKeyParams,
  PageParams,
  ShownPageKeySchema,
  toWirePageKey,
  toWireShownPageKey,
} from "./schema.ts";
import {
  createStatusPageKey,
  listStatusPageKeys,
  removeStatusPageKey,
  rotateStatusPageKey,
} from "./status-page-keys.ts";

const tags = ["Status page keys"];

export function addPageKeyRoutes(server: HttpServer, context: StatusPagesContext): void {
  server.post(
    "/v1/status-pages/:statusPageId/keys",
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Create a key that opens a private status page",
        params: PageParams,
        response: answers({ 201: ShownPageKeySchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      const key = await createStatusPageKey(context, caller, params.statusPageId);
      return reply.code(201).send(toWireShownPageKey(key));
    },
  );
  server.get(
    "/v1/status-pages/:statusPageId/keys",
    {
      config: { access: "read" },
      schema: {
        tags,
        summary: "List the keys of a status page, masked",
        params: PageParams,
        response: answers({ 200: PageKeyList }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      (await listStatusPageKeys(context, caller, params.statusPageId)).map(toWirePageKey),
  );
  server.post(
    "/v1/status-pages/:statusPageId/keys/:keyId/rotate",
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Replace a key; the old one is dead at once",
        params: PageKeyParams,
        response: answers({ 200: ShownPageKeySchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireShownPageKey(await rotateStatusPageKey(context, caller, params)),
  );
  server.delete(
    "/v1/status-pages/:statusPageId/keys/:keyId",
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Delete a key of a status page",
        params: PageKeyParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeStatusPageKey(context, caller, params);
      return reply.code(204).send(null);
    },
  );
}
