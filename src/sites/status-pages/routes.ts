import { type Caller, IdempotencyHeaders } from "../../access/accounts/index.ts";
import { answers, Nothing, toCursorPage } from "../../platform/http/schema.ts";
import { IfMatchHeaders, sendTagged } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  checkPageDomain,
  getPageDomain,
  PageDomainSchema,
  toWirePageDomain,
} from "../publishing/index.ts";
import {
  changeStatusPage,
  createStatusPage,
  getStatusPage,
  listOwnStatusPages,
  removeStatusPage,
} from "./actions.ts";
import { addComponentPageRoutes } from "./components/component-pages.ts";
import { addComponentRoutes } from "./components/components.ts";
import type { ServicesContext, StatusPagesContext } from "./context.ts";
import { addImageRoutes } from "./images.ts";
import { addPageKeyRoutes, PageParams } from "./keys.ts";
import { addRuleRoutes } from "./rules/rules.ts";
import {
  StatusPageBody,
  StatusPageList,
  StatusPageParams,
  StatusPageQuery,
  StatusPageSchema,
  tagStatusPage,
  toWireStatusPage,
} from "./schema.ts";
import { addServiceRoutes } from "./services/services.ts";
import { referToPage, type StatusPage } from "./status-page.ts";

const tags = ["Status pages"];

function addDomainRoutes(server: HttpServer, context: StatusPagesContext): void {
  const refer = async (caller: Caller, statusPageId: string) =>
    referToPage((await getStatusPage(context, caller, statusPageId)).id);
  server.get(
    "/v1/status-pages/:statusPageId/domain",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getStatusPageDomain",
        summary: "Get the DNS records that verify the domain of a status page",
        description:
          "Includes whether the records were found. 404 for a page without `customDomain`.",
        params: PageParams,
        response: answers({ 200: PageDomainSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const page = await refer(caller, params.statusPageId);
      return toWirePageDomain(await getPageDomain(context, caller, page));
    },
  );
  server.post(
    "/v1/status-pages/:statusPageId/domain/check",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "checkStatusPageDomain",
        summary: "Verify the domain of a status page now",
        description:
          "Queries the DNS records and returns the result. Once verified, the domain is served. " +
          "At most 20 requests per minute and account.",
        params: PageParams,
        response: answers({ 200: PageDomainSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const page = await refer(caller, params.statusPageId);
      return toWirePageDomain(await checkPageDomain(context, caller, page));
    },
  );
}

function addPageRoutes(server: HttpServer, context: ServicesContext): void {
  const toWire = (page: StatusPage) => toWireStatusPage(page, context.publicUrl());
  server.post(
    "/v1/status-pages",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createStatusPage",
        summary: "Create a status page",
        description: "It is immediately public at `/status/{url}`, unless `isPrivate` is true.",
        headers: IdempotencyHeaders,
        body: StatusPageBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: StatusPageSchema }, "conflict"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const request = { input: body, idempotencyKey: headers["idempotency-key"] };
      const page = await createStatusPage(context, caller, request);
      return reply.code(201).send(sendTagged(reply, tagStatusPage(page), toWire(page)));
    },
  );
  server.get(
    "/v1/status-pages",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listStatusPages",
        summary: "List status pages",
        description: "Paginated: pass `nextId` of the response to fetch the next page.",
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
        operationId: "getStatusPage",
        summary: "Get a status page with its cards and services",
        description: "The response has an `ETag`, which an update can send as `If-Match`.",
        params: StatusPageParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: StatusPageSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const page = await getStatusPage(context, caller, params.statusPageId);
      return sendTagged(reply, tagStatusPage(page), toWire(page));
    },
  );
  server.put(
    "/v1/status-pages/:statusPageId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateStatusPage",
        summary: "Update a status page",
        description:
          "Replaces name, address and cards; other omitted fields keep their value. With " +
          "`If-Match`, a change made since then causes 412.",
        params: StatusPageParams,
        headers: IfMatchHeaders,
        body: StatusPageBody,
        answerHeaders: ["ETag"],
        response: answers({ 200: StatusPageSchema }, "notFound", "conflict", "preconditionFailed"),
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const change = { id: params.statusPageId, input: body, ifMatch: headers["if-match"] };
      const page = await changeStatusPage(context, caller, change);
      return sendTagged(reply, tagStatusPage(page), toWire(page));
    },
  );
  server.delete(
    "/v1/status-pages/:statusPageId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteStatusPage",
        summary: "Delete a status page with its cards, keys, images and subscribers",
        description:
          "Services and incidents are kept, except services that a component of this page created.",
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

export function addStatusPageRoutes(server: HttpServer, context: ServicesContext): void {
  addServiceRoutes(server, context);
  addPageRoutes(server, context);
  addPageKeyRoutes(server, context);
  addImageRoutes(server, context);
  addDomainRoutes(server, context);
  addComponentPageRoutes(server, context);
  addComponentRoutes(server, context);
  addRuleRoutes(server, context);
}
