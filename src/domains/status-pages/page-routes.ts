import { IfMatchHeaders, sendTagged } from "../../platform/http/entity-tag.ts";
import { answers, Nothing, toCursorPage } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { IdempotencyHeaders } from "../accounts/index.ts";
import {
  changeStatusPage,
  createStatusPage,
  getStatusPage,
  listOwnStatusPages,
  removeStatusPage,
} from "./actions.ts";
import type { StatusPagesContext } from "./context.ts";
import {
  StatusPageBody,
  StatusPageList,
  StatusPageParams,
  StatusPageQuery,
  StatusPageSchema,
  toWireStatusPage,
} from "./schema.ts";
import type { StatusPage } from "./status-page.ts";

const tags = ["Status pages"];

export function addPageRoutes(server: HttpServer, context: StatusPagesContext): void {
  const toWire = (page: StatusPage) => toWireStatusPage(page, context.publicUrl());
  server.post(
    "/v1/status-pages",
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Create a status page",
        headers: IdempotencyHeaders,
        body: StatusPageBody,
        response: answers({ 201: StatusPageSchema }, "conflict"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const request = { wish: body, idempotencyKey: headers["idempotency-key"] };
      const page = toWire(await createStatusPage(context, caller, request));
      return reply.code(201).send(sendTagged(reply, page));
    },
  );
  server.get(
    "/v1/status-pages",
    {
      config: { access: "read" },
      schema: {
        tags,
        summary: "List status pages",
        querystring: StatusPageQuery,
        response: answers({ 200: StatusPageList }),
      },
    },
    async ({ caller, query: { limit, nextId } }) => {
      const pages = await listOwnStatusPages(context, caller, { limit: limit + 1, nextId });
      return toCursorPage(pages.map(toWire), limit);
    },
  );
  server.get(
    "/v1/status-pages/:statusPageId",
    {
      config: { access: "read" },
      schema: {
        tags,
        summary: "Read one status page with its cards and their services",
        params: StatusPageParams,
        response: answers({ 200: StatusPageSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) =>
      sendTagged(reply, toWire(await getStatusPage(context, caller, params.statusPageId))),
  );
  server.put(
    "/v1/status-pages/:statusPageId",
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Update a status page",
        params: StatusPageParams,
        headers: IfMatchHeaders,
        body: StatusPageBody,
        response: answers({ 200: StatusPageSchema }, "notFound", "conflict", "preconditionFailed"),
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const change = { id: params.statusPageId, wish: body, ifMatch: headers["if-match"] };
      return sendTagged(reply, toWire(await changeStatusPage(context, caller, change)));
    },
  );
  server.delete(
    "/v1/status-pages/:statusPageId",
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Delete a status page with its cards, keys, pictures and subscribers",
        params: StatusPageParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeStatusPage(context, caller, params.statusPageId);
      return reply.code(204).send(null);
    },
  );
}
