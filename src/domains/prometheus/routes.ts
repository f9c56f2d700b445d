import { Type } from "typebox";
import { answers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { Caller } from "../accounts/index.ts";
import { maxSeries, scrape } from "./actions.ts";
import type { PrometheusContext } from "./context.ts";
import { chooseFormat, contentTypes } from "./exposition.ts";
import { keptSeconds } from "./reply-cache.ts";
import { ScrapePathParams, ScrapeQuery, toScrapeOptions } from "./schema.ts";

const tags = ["Prometheus"];
const summary = "Export the checks of an account to Prometheus";
const description =
  "Status, results, response times and the figures of each kind, in the Prometheus text " +
  "format or as OpenMetrics, whichever `Accept` names first. Replies are cached for " +
  `${keptSeconds} seconds. With more than about ${maxSeries} series, checks are left out, and ` +
  "`vedette_checks_left_out` is their number.";

export function addPrometheusRoutes(server: HttpServer, context: PrometheusContext): void {
  const shared = {
    tags,
    summary,
    produces: ["text/plain", "application/openmetrics-text"],
    querystring: ScrapeQuery,
  };
  const answer = async (
    caller: Caller,
    query: Type.Static<typeof ScrapeQuery>,
    accept: string | undefined,
  ) => {
    const format = chooseFormat(accept);
    const text = await scrape(context, caller, { ...toScrapeOptions(query), format });
    return { text, type: contentTypes[format] };
  };
  server.get(
    "/v1/prometheus",
    {
      config: { access: "read" },
      schema: {
        ...shared,
        operationId: "scrapeChecks",
        description,
        response: answers({ 200: Type.String() }),
      },
    },
    async ({ caller, query, headers }, reply) => {
      const { text, type } = await answer(caller, query, headers.accept);
      return reply.type(type).header("vary", "accept").send(text);
    },
  );
  server.get(
    "/accounts/:accountId/v2/prometheus/metrics",
    {
      config: { access: "read" },
      schema: {
        ...shared,
        operationId: "scrapeChecksOfAccount",
        description: `${description} The path names the account, where a key serves several.`,
        params: ScrapePathParams,
        response: answers({ 200: Type.String() }),
      },
    },
    async ({ caller, query, headers }, reply) => {
      const { text, type } = await answer(caller, query, headers.accept);
      return reply.type(type).header("vary", "accept").send(text);
    },
  );
}
