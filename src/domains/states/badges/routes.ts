import { Type } from "typebox";
import { renderBadge } from "../../../pages/badge.ts";
import { publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { StatesContext } from "../current-status.ts";
import { BadgeParams, BadgeQuery, getBadgeFacts, toBadge } from "./badge.ts";

export function addBadgeRoutes(server: HttpServer, context: StatesContext): void {
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
