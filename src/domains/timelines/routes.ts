import { parseTimestamp } from "../../platform/http/parse-timestamp.ts";
import { answers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { getTimeline, type TimelinesContext } from "./actions.ts";
import { TimelineParams, TimelineQuery, TimelineSchema, toWireTimeline } from "./schema.ts";

export function addTimelineRoutes(server: HttpServer, context: TimelinesContext): void {
  server.get(
    "/v1/check-timelines/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags: ["Statuses"],
        operationId: "getCheckTimeline",
        summary: "Read the timeline of a check: states, incidents, maintenance, alerts, edits",
        description:
          "Everything that a chart of the check marks, in one response. The reasons of status changes " +
          "are in the check's state changes.",
        params: TimelineParams,
        querystring: TimelineQuery,
        response: answers({ 200: TimelineSchema }, "notFound"),
      },
    },
    async ({ caller, params, query }) =>
      toWireTimeline(
        await getTimeline(context, caller, {
          checkId: params.checkId,
          fromMs: parseTimestamp("from", query.from),
          toMs: parseTimestamp("to", query.to),
        }),
      ),
  );
}
