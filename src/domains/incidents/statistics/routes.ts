import { parseBounds } from "../../../platform/http/parse-timestamp.ts";
import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { IncidentsContext } from "../context.ts";
import { getStatistics } from "./actions.ts";
import { StatisticsQuery, StatisticsSchema, toWireStatistics } from "./schema.ts";

export function addStatisticsRoutes(server: HttpServer, context: IncidentsContext): void {
  server.get(
    "/v1/status-pages/incidents/statistics",
    {
      config: { access: "read" },
      schema: {
        tags: ["Incidents"],
        operationId: "getIncidentStatistics",
        summary: "Get incident statistics and the uptime of each service",
        description: "Covers the last 90 days unless `from` and `to` are given.",
        querystring: StatisticsQuery,
        response: answers({ 200: StatisticsSchema }),
      },
    },
    async ({ caller, query }) =>
      toWireStatistics(await getStatistics(context, caller, parseBounds(query))),
  );
}
