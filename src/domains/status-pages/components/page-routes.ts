import { answers, Nothing, toCursorPage } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { IdempotencyHeaders } from "../../accounts/index.ts";
import {
  changeStatusPage,
  createStatusPage,
  getStatusPage,
  listOwnStatusPages,
  removeStatusPage,
} from "../actions.ts";
import type { ServicesContext } from "../context.ts";
import { StatusPageParams, StatusPageQuery } from "../schema.ts";
import type { StatusPage } from "../status-page.ts";
import {
  ComponentPageBody,
  ComponentPageList,
  ComponentPageSchema,
  fromWireComponentPage,
  toWireComponentPage,
} from "./page-body.ts";

const tags = ["Status page components"];

function addWriteRoutes(server: HttpServer, context: ServicesContext): void {
  const toWire = (page: StatusPage) => toWireComponentPage(page, context.publicUrl());
  server.post(
    "/v3/status-pages",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createComponentPage",
        summary: "Create a status page for components",
        description:
          "It is immediately public at `/status/{url}`. Add its content with the operations on " +
          "components. `/v1/status-pages` shows the same page with cards.",
        headers: IdempotencyHeaders,
        body: ComponentPageBody,
        response: answers({ 201: ComponentPageSchema }, "conflict"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const input = fromWireComponentPage(body, null);
      const request = { input, idempotencyKey: headers["idempotency-key"] };
      const page = await createStatusPage(context, caller, request);
      return reply.code(201).send(toWire(page));
    },
  );
  server.put(
    "/v3/status-pages/:statusPageId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateComponentPage",
        summary: "Update a status page without its components",
        description: "Omitted optional fields keep their value; components are not changed.",
        params: StatusPageParams,
        body: ComponentPageBody,
        response: answers({ 200: ComponentPageSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params: { statusPageId }, body }) => {
      const before = await getStatusPage(context, caller, statusPageId);
      const input = fromWireComponentPage(body, before);
      const change = { id: statusPageId, input, ifMatch: undefined };
      return toWire(await changeStatusPage(context, caller, change));
    },
  );
  server.delete(
    "/v3/status-pages/:statusPageId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteComponentPage",
        summary: "Delete a status page with its components and rules",
        description:
          "Services that its components created are deleted too, unless another page shows them " +
          "or a check opens incidents for them. Incidents are kept.",
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

export function addComponentPageRoutes(server: HttpServer, context: ServicesContext): void {
  addWriteRoutes(server, context);
  const toWire = (page: StatusPage) => toWireComponentPage(page, context.publicUrl());
  server.get(
    "/v3/status-pages",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listComponentPages",
        summary: "List status pages without their components",
        description: "The same pages as `/v1/status-pages`, in another form.",
        querystring: StatusPageQuery,
        response: answers({ 200: ComponentPageList }),
      },
    },
    async ({ caller, query: { limit, nextId } }) => {
      const pages = await listOwnStatusPages(context, caller, { limit: limit + 1, nextId });
      return toCursorPage(pages.map(toWire), limit);
    },
  );
  server.get(
    "/v3/status-pages/:statusPageId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getComponentPage",
        summary: "Get a status page without its components",
        description: "The same page as in `/v1/status-pages`, in another form.",
        params: StatusPageParams,
        response: answers({ 200: ComponentPageSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWire(await getStatusPage(context, caller, params.statusPageId)),
  );
}
