import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { StatisticsContext } from "../context.ts";
import { getIcmpAnalytics, summariseOwnChecks } from "./actions.ts";
import {
  AnalyticsParams,
  AnalyticsQuery,
  BatchBody,
  BatchQuery,
  BatchSchema,
  IcmpAnalyticsSchema,
  toWireAnalytics,
  toWireSummary,
  toWish,
} from "./schema.ts";

const tags = ["Analytics"];

export function addAnalyticsRoutes(server: HttpServer, context: StatisticsContext): void {
  server.get(
    "/v1/analytics/icmp/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getIcmpAnalytics",
        summary: "Read the figures of an ICMP check over time",
        description:
          "The window begins with the hour its beginning lies in. Figures of latency are within " +
          "one percent; counts, availability and average loss are exact.",
        params: AnalyticsParams,
        querystring: AnalyticsQuery,
        response: answers({ 200: IcmpAnalyticsSchema }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const wish = toWish(params.id, query);
      return toWireAnalytics(await getIcmpAnalytics(context, caller, wish), wish);
    },
  );
  server.post(
    "/v1/analytics/checks",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckAnalytics",
        summary: "Read the figures of up to 200 checks at once",
        description:
          "Availability, latency and packet loss of each over one window. A check that " +
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
