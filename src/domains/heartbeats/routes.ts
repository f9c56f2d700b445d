import { answers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { HeartbeatsContext } from "./context.ts";
import { getEvent, listEvents, measureAvailability } from "./context.ts";
import { addPingRoutes } from "./ping-routes.ts";
import { addAddressRoutes } from "./push-addresses/push-addresses.ts";
import {
  AvailabilityAnswer,
  EventAnswer,
  EventParams,
  EventsQuery,
  EventsSchema,
  HeartbeatParams,
  TimesQuery,
  toSpan,
  toWireAvailability,
  toWireEvent,
  toWireStats,
} from "./schema.ts";

const tags = ["Heartbeats"];

export function addHeartbeatRoutes(server: HttpServer, context: HeartbeatsContext): void {
  addAddressRoutes(server, context);
  server.get(
    "/v1/checks/heartbeats/:checkId/events",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listHeartbeatEvents",
        summary: "List the received and missed pings of a check",
        description: "The latest events of a window, by default the last day.",
        params: HeartbeatParams,
        querystring: EventsQuery,
        response: answers({ 200: EventsSchema }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const request = { ...toSpan(query), ...params, limit: query.limit };
      const { events, stats } = await listEvents(context, caller, request);
      return [{ events: events.map(toWireEvent), stats: toWireStats(stats) }];
    },
  );
  server.get(
    "/v1/checks/heartbeats/:checkId/events/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getHeartbeatEvent",
        summary: "Read a received or missed ping",
        description: "The body of the ping is in the result with the same id.",
        params: EventParams,
        response: answers({ 200: EventAnswer }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const { event, stats } = await getEvent(context, caller, params);
      return { event: toWireEvent(event), stats: toWireStats(stats) };
    },
  );
  server.get(
    "/v1/checks/heartbeats/:checkId/availability",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getHeartbeatAvailability",
        summary: "Read the share of pings that arrived in time",
        description:
          "For a window, by default the last day, and for the window before it. `null` " +
          "without events.",
        params: HeartbeatParams,
        querystring: TimesQuery,
        response: answers({ 200: AvailabilityAnswer }, "notFound"),
      },
    },
    async ({ caller, params, query }, reply) => {
      const found = await measureAvailability(context, caller, { ...toSpan(query), ...params });
      return reply.send(toWireAvailability(found));
    },
  );
  addPingRoutes(server, context);
}
