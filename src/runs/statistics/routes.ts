import { allKinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import { answers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { getAnalytics, summariseOwnChecks } from "./analytics/actions.ts";
import { listMetrics } from "./analytics/metrics.ts";
import {
  AnalyticsParams,
  BatchBody,
  BatchQuery,
  BatchSchema,
  createAnalyticsQuery,
  createAnalyticsSchema,
  toAnalyticsRequest,
  toWireAnalytics,
  toWireSummary,
} from "./analytics/schema.ts";
import { addSeriesRoutes } from "./check-series/routes.ts";
import type { StatisticsContext } from "./context.ts";
import { addListingRoutes } from "./listings/routes.ts";

const tags = ["Analytics"];

function addKindRoutes(server: HttpServer, context: StatisticsContext, kind: Kind): void {
  const { type, analyticsPath, operations, words } = kind;
  const metrics = listMetrics(kind);
  server.get(
    `/v1/analytics/${analyticsPath}/:id`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: `get${operations.name}Analytics`,
        summary: `Read the figures of ${words.aCheck} over time`,
        description:
          "The window is extended to the start of its first hour. Latency figures are accurate to " +
          `one percent; ${words.exactFigures} are exact.`,
        params: AnalyticsParams,
        querystring: createAnalyticsQuery(metrics.keys()),
        response: answers({ 200: createAnalyticsSchema(kind) }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const request = toAnalyticsRequest(query, { checkId: params.id, type }, metrics);
      return toWireAnalytics(await getAnalytics(context, caller, request), request);
    },
  );
}

function addAnalyticsRoutes(server: HttpServer, context: StatisticsContext): void {
  for (const kind of allKinds) addKindRoutes(server, context, kind);
  server.post(
    "/v1/analytics/checks",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckAnalytics",
        summary: "Read the figures of up to 200 checks",
        description:
          `Availability, latency and ${listSummaryLabels()} of each check over one window. A check that ` +
          "did not run has null figures.",
        querystring: BatchQuery,
        body: BatchBody,
        response: answers({ 200: BatchSchema }, "notFound"),
      },
    },
    async ({ caller, body, query }) =>
      (await summariseOwnChecks(context, caller, { ...body, ...query })).map(toWireSummary),
  );
}

function listSummaryLabels(): string {
  const labels = allKinds.flatMap(({ parts }) =>
    parts.flatMap(({ label, summary }) => (summary === undefined ? [] : label.toLowerCase())),
  );
  return [...new Set(labels)].join(", ");
}

export function addStatisticsRoutes(server: HttpServer, context: StatisticsContext): void {
  addAnalyticsRoutes(server, context);
  addSeriesRoutes(server, context);
  addListingRoutes(server, context);
}
