import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { removePageKey, rotatePageKey } from "../../sites/index.ts";
import type { StatusPagesContext } from "../context.ts";
import { referToPage } from "../status-page.ts";
import { createStatusPageKey, listStatusPageKeys } from "./actions.ts";
import {
  PageKeyList,
  PageKeyParams,
  PageParams,
  ShownPageKeySchema,
  toWirePageKey,
  toWireShownPageKey,
} from "./schema.ts";

const tags = ["Status page keys"];

const toKeyReference = (params: { readonly statusPageId: string; readonly keyId: string }) => ({
  ...referToPage(params.statusPageId),
  keyId: params.keyId,
});

export function addPageKeyRoutes(server: HttpServer, context: StatusPagesContext): void {
  server.post(
    "/v1/status-pages/:statusPageId/keys",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createStatusPageKey",
        summary: "Create a key that opens a private status page",
        description: "At most ten per page. `rawKey` is only in this response.",
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
        operationId: "listStatusPageKeys",
        summary: "List the keys of a status page, masked",
        description: "Keys cannot be shown again.",
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
        operationId: "rotateStatusPageKey",
        summary: "Replace a key",
        description:
          "`rawKey` is only in this response. The old key and its cookies stop working " +
          "immediately.",
        params: PageKeyParams,
        response: answers({ 200: ShownPageKeySchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireShownPageKey(await rotatePageKey(context, caller, toKeyReference(params))),
  );
  server.delete(
    "/v1/status-pages/:statusPageId/keys/:keyId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteStatusPageKey",
        summary: "Delete a key of a status page",
        description: "The key and its cookies stop working immediately.",
        params: PageKeyParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removePageKey(context, caller, toKeyReference(params));
      return reply.code(204).send(null);
    },
  );
}
