import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { StatisticsContext } from "../context.ts";
import { getCheckSeries } from "./actions.ts";
import {
  SeriesParams,
  SeriesQuery,
  SeriesSchema,
  toSeriesRequest,
  toWireSeries,
} from "./schema.ts";

export function addSeriesRoutes(server: HttpServer, context: StatisticsContext): void {
  server.get(
    "/v1/check-series/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags: ["Analytics"],
        operationId: "getCheckSeries",
        summary: "Read a check's figures over a range, in slots for a chart",
        description:
          "The range is divided into slots of equal length, as short as `points` and the check's " +
          "frequency allow. Short ranges are read from single runs, a month from hours and more " +
          "from days, so a long range costs no more than a short one. Values are accurate to one " +
          "percent; counts, loss and availability are exact.",
        params: SeriesParams,
        querystring: SeriesQuery,
        response: answers({ 200: SeriesSchema }, "notFound"),
      },
    },
    async ({ caller, params, query }) =>
      toWireSeries(await getCheckSeries(context, caller, toSeriesRequest(query, params.checkId))),
  );
}
