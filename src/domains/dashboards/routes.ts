import {
  IfMatchHeaders,
  sendTagged,
  type TaggedReply,
  tagVersion,
} from "../../platform/http/entity-tag.ts";
import { answers, Nothing, sendTotal } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { IdempotencyHeaders } from "../accounts/index.ts";
import {
  changeDashboard,
  createDashboard,
  formatFolder,
  getDashboard,
  listOwnDashboards,
  removeDashboard,
} from "./actions.ts";
import type { DashboardsContext } from "./context.ts";
import type { DashboardWithKeys } from "./dashboard.ts";
import { addDomainRoutes } from "./domains/routes.ts";
import { addKeyRoutes } from "./keys/routes.ts";
import { addDashboardPreviewRoutes } from "./previews/routes.ts";
import {
  DashboardBody,
  DashboardChange,
  DashboardList,
  DashboardParams,
  DashboardQuery,
  DashboardSchema,
  fromWireDashboard,
  ListQuery,
  toWireDashboard,
} from "./schema.ts";
import { addViewRoutes } from "./view/routes.ts";

const tags = ["Dashboards"];

export function addDashboardRoutes(server: HttpServer, context: DashboardsContext): void {
  const show = (one: DashboardWithKeys) =>
    toWireDashboard(one, formatFolder(context, one.dashboardId));
  const sendOne = (reply: TaggedReply, one: DashboardWithKeys) =>
    sendTagged(reply, tagVersion(one.version), show(one));
  server.post(
    "/v1/dashboards",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createDashboard",
        summary: "Create a dashboard",
        description:
          "A private dashboard gets its first key, which is shown only in this response.",
        headers: IdempotencyHeaders,
        body: DashboardBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: DashboardSchema }, "conflict"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const idempotencyKey = headers["idempotency-key"];
      const made = await createDashboard(context, caller, {
        ...fromWireDashboard(body),
        body,
        idempotencyKey,
      });
      return reply.code(201).send(sendOne(reply, made));
    },
  );
  server.get(
    "/v1/dashboards",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listDashboards",
        summary: "List dashboards",
        description: "Paginated by `limit` and `page`; the total is in `Content-Range`.",
        querystring: ListQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: DashboardList }),
      },
    },
    async ({ caller, query }, reply) => {
      const { dashboards, total } = await listOwnDashboards(context, caller, query);
      sendTotal(reply, query, total);
      return dashboards.map(show);
    },
  );
  server.get(
    "/v1/dashboards/:dashboardId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getDashboard",
        summary: "Get a dashboard by id or custom address",
        description: "The response has an `ETag`, which an update can send as `If-Match`.",
        params: DashboardParams,
        querystring: DashboardQuery,
        answerHeaders: ["ETag"],
        response: answers({ 200: DashboardSchema }, "notFound"),
      },
    },
    async ({ caller, params, query }, reply) => {
      const which = { by: query.type ?? "dashboardId", value: params.dashboardId } as const;
      return sendOne(reply, await getDashboard(context, caller, which));
    },
  );
  server.put(
    "/v1/dashboards/:dashboardId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateDashboard",
        summary: "Update a dashboard",
        description:
          "Omitted fields keep their value. With `If-Match`, a change made since then causes 412.",
        params: DashboardParams,
        headers: IfMatchHeaders,
        body: DashboardChange,
        answerHeaders: ["ETag"],
        response: answers({ 200: DashboardSchema }, "notFound", "conflict", "preconditionFailed"),
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const place = { dashboardId: params.dashboardId, ifMatch: headers["if-match"] };
      const change = { ...place, ...fromWireDashboard(body) };
      return sendOne(reply, await changeDashboard(context, caller, change));
    },
  );
  server.delete(
    "/v1/dashboards/:dashboardId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteDashboard",
        summary: "Delete a dashboard with its keys and addresses",
        description: "Its address becomes available.",
        params: DashboardParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeDashboard(context, caller, params.dashboardId);
      return reply.code(204).send(null);
    },
  );
  addKeyRoutes(server, context);
  addDashboardPreviewRoutes(server, context);
  addDomainRoutes(server, context);
  addViewRoutes(server, context);
}
