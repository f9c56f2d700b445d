import { Type } from "typebox";
import { answers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { Caller } from "../accounts/index.ts";
import { keptSeconds, maxSeries, type PrometheusContext, scrape } from "./actions.ts";
import type { ScrapeOptions } from "./check-series.ts";
import { chooseFormat, contentTypes } from "./check-series.ts";

const tags = ["Prometheus"];
const summary = "Export the checks of an account to Prometheus";

const flag = (description: string) =>
  Type.Optional(Type.Boolean({ description, default: false, examples: [true] }));

const ScrapeQuery = Type.Object({
  locationLabelEnabled: flag(
    "Whether to export one series per location, with the label `location`.",
  ),
  includeRetryAttempts: flag(
    "Whether to count retried attempts as failing results in `vedette_check_result_total`.",
  ),
  disableTagParsing: flag(
    "Whether to put all tags into the label `tags`; otherwise a tag `team:edge` becomes the label `team`.",
  ),
});

const ScrapePathParams = Type.Object({
  accountId: Type.String({
    description: "The account.",
    format: "uuid",
    examples: ["5b0f9f3c-5a3e-4f0b-9d0e-3d1c6a1f2b3c"],
  }),
});

function toScrapeOptions(query: Type.Static<typeof ScrapeQuery>): ScrapeOptions {
  return {
    hasLocations: query.locationLabelEnabled ?? false,
    countsRetries: query.includeRetryAttempts ?? false,
    parsesTags: !(query.disableTagParsing ?? false),
  };
}
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
