import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { PublicPagesContext } from "../context.ts";
import { listStatusPageOverviews } from "./actions.ts";
import { StatusPageOverviewList, toWireOverview } from "./schema.ts";

export function addPageOverviewRoutes(server: HttpServer, context: PublicPagesContext): void {
  server.get(
    "/v1/status-page-overviews",
    {
      config: { access: "read" },
      schema: {
        tags: ["Status pages"],
        operationId: "listStatusPageOverviews",
        summary: "List the current state of every status page",
        description: "All pages of the account, oldest first, with state, address and counts.",
        response: answers({ 200: StatusPageOverviewList }),
      },
    },
    async ({ caller }) => (await listStatusPageOverviews(context, caller)).map(toWireOverview),
  );
}
