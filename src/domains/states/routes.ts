import { Type } from "typebox";
import { renderBadge } from "../../pages/badge.ts";
import { answers, parseBounds, publicAnswers, toCursorPage } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { BadgeParams, BadgeQuery, getBadgeFacts, toBadge } from "./badges/badge.ts";
import type { StatesContext } from "./current-status.ts";
import { addPlaceRoutes } from "./places/routes.ts";
import { listStateHistory } from "./state-changes/history.ts";
import {
  HistoryParams,
  HistoryQuery,
  StateChangePage,
  toWireChange,
} from "./state-changes/schema.ts";
import { addStatusRoutes } from "./statuses/routes.ts";

function addStateChangeRoutes(server: HttpServer, context: StatesContext): void {
  server.get(
    "/v1/check-state-changes/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags: ["Statuses"],
        operationId: "listCheckStateChanges",
        summary: "List when a check's status changed and why, newest first",
        description:
          "Cursor pagination: pass `nextId` of a response to get the next page. Each change contains " +
          "the verdict of every location at that time and the reasons of the deciding run.",
        params: HistoryParams,
        querystring: HistoryQuery,
        response: answers({ 200: StateChangePage }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const { from = null, to = null } = parseBounds(query);
      const changes = await listStateHistory(context, caller, {
        checkId: params.checkId,
        from,
        to,
        limit: query.limit + 1,
        nextId: query.nextId ?? null,
      });
      return toCursorPage(changes.map(toWireChange), query.limit);
    },
  );
}

function addBadgeRoutes(server: HttpServer, context: StatesContext): void {
  server.get(
    "/v1/badges/checks/:checkId",
    {
      config: { access: "public" },
      schema: {
        tags: ["Badges"],
        operationId: "getCheckBadge",
        summary: "Get the status badge of a check",
        description: "Returns an SVG image. Needs no authentication, only the check's id.",
        produces: ["image/svg+xml"],
        params: BadgeParams,
        querystring: BadgeQuery,
        response: publicAnswers({ 200: Type.String() }, "invalidRequest", "notFound"),
      },
    },
    async ({ params, query }, reply) => {
      const facts = await getBadgeFacts(context, params.checkId);
      return reply
        .header("cache-control", "no-cache, max-age=30")
        .header("content-security-policy", "default-src 'none'")
        .type("image/svg+xml; charset=utf-8")
        .send(renderBadge(toBadge(facts, query)));
    },
  );
}

export function addStateRoutes(server: HttpServer, context: StatesContext): void {
  addStatusRoutes(server, context);
  addStateChangeRoutes(server, context);
  addBadgeRoutes(server, context);
  addPlaceRoutes(server, context);
}
