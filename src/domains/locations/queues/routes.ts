import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { invalid } from "../../../platform/errors.ts";
import { parseTimestamp } from "../../../platform/http/parse-timestamp.ts";
import { answers, DateTime, Described, Guid } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { LocationsContext } from "../actions.ts";
import { readQueueSeries } from "./actions.ts";

const Params = Type.Object({ id: Described(Guid, "The private location's id.") });
const Moment = Type.String({ anyOf: [{ format: "date-time" }, { format: "date" }] });
const Query = Type.Object({
  from: Described(Moment, "Start of the series.", "2026-11-16T00:00:00Z"),
  to: Described(
    Moment,
    "End of the series; at most 31 days after the start.",
    "2026-11-17T00:00:00Z",
  ),
});
const Counts = (description: string) => Type.Array(Type.Integer(), { description });
const Series = Type.Object(
  {
    timestamps: Type.Array(DateTime, { description: "Start of each slot." }),
    queueSize: Counts("Maximum number of due runs without a result in each slot."),
    oldestScheduledCheckRun: Counts("Maximum age in seconds of the oldest such run in each slot."),
  },
  { title: "PrivateLocationMetrics" },
);

export function addQueueRoutes(server: HttpServer, context: LocationsContext): void {
  server.get(
    "/v1/private-locations/:id/metrics",
    {
      config: { access: "read" },
      schema: {
        tags: ["Private locations"],
        operationId: "getPrivateLocationMetrics",
        summary: "Read the queue size of a private location",
        description:
          "Sampled once a minute and kept for 31 days; at most 360 slots. A growing queue " +
          "means that the location needs another probe.",
        params: Params,
        querystring: Query,
        response: answers({ 200: Series }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const fromMs = parseTimestamp("from", query.from) ?? 0;
      const toMs = parseTimestamp("to", query.to) ?? 0;
      if (toMs <= fromMs) throw invalid("to", "must be after from", "querystring");
      const series = await readQueueSeries(context, caller, { id: params.id, fromMs, toMs });
      return { ...series, timestamps: series.timestamps.map(formatDateTime) };
    },
  );
}
