import { Type } from "typebox";
import { pingStates } from "../../kinds/kit/pings.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { invalid } from "../../platform/errors.ts";
import { answers, DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  type Availability,
  type EventStats,
  getEvent,
  type HeartbeatEvent,
  type HeartbeatsContext,
  listEvents,
  measureAvailability,
  type Span,
} from "./context.ts";
import { addPingRoutes } from "./ping-routes.ts";
import { addAddressRoutes } from "./push-addresses/push-addresses.ts";

const HeartbeatParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
const EventParams = Type.Object({
  checkId: Described(Guid, "The check's id."),
  id: Described(Guid, "The event's id."),
});

const DateOrDateTime = Type.String({ maxLength: 40 });
const times = {
  startTime: Described(
    Type.Optional(DateOrDateTime),
    "Start of the window: a date, with or without a time; by default one day before the end.",
    "2026-11-15",
  ),
  endTime: Described(
    Type.Optional(DateOrDateTime),
    "End of the window: a date, with or without a time; by default now.",
    "2026-11-16T12:00:00Z",
  ),
};

const TimesQuery = Type.Object(times);
const EventsQuery = Type.Object({
  ...times,
  limit: Type.Integer({
    description: "Number of events to return.",
    minimum: 1,
    maximum: 10,
    default: 10,
  }),
});

const Share = OrNull(Type.Number());

const AvailabilitySchema = Type.Object(
  {
    successRatio: Type.Object(
      {
        previousPeriod: Described(
          Share,
          "The same for the preceding window of equal length; `null` without events.",
          1,
        ),
        currentPeriod: Described(
          Share,
          "Share of pings that arrived in time and reported no failure.",
          0.998,
        ),
      },
      { description: "Shares of all events, from 0 to 1." },
    ),
    totalEntitiesCurrentPeriod: Type.Integer({
      description: "Number of events.",
      examples: [96],
    }),
  },
  { title: "HeartbeatAvailability" },
);

const StatsSchema = Type.Object(
  {
    last24Hours: Described(OrNull(AvailabilitySchema), "`null` without events."),
    last7Days: Described(OrNull(AvailabilitySchema), "`null` without events."),
  },
  { description: "Availability of the job." },
);

const EventSchema = Type.Object(
  {
    id: Described(Guid, "The event's id, which is also the id of its result."),
    state: Described(
      OneOf(pingStates),
      "EARLY: well before the expected time; RECEIVED: on time; GRACE: within the grace period; " +
        "LATE: after it was reported as missing; FAILING: missing, or the job reported a failure.",
      "RECEIVED",
    ),
    timestamp: Described(DateTime, "When the ping arrived or was missed."),
    source: Described(
      OrNull(Type.String()),
      "Method and source of the ping; `null` if no ping arrived.",
      "POST from 192.0.2.7",
    ),
    userAgent: Described(
      OrNull(Type.String()),
      "User agent of the client; `null` if no ping arrived.",
      "curl/8.5.0",
    ),
  },
  { title: "HeartbeatEvent" },
);

const EventsSchema = Type.Array(
  Type.Object({
    events: Type.Array(EventSchema, { description: "Newest first." }),
    stats: StatsSchema,
  }),
);
const EventAnswer = Type.Object({
  event: Described(EventSchema, "The event."),
  stats: StatsSchema,
});
const AvailabilityAnswer = OrNull(AvailabilitySchema);

function parseTime(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || ms < 0) {
    throw invalid(name, "must be a date, with or without a time", "querystring");
  }
  return ms;
}

function toSpan(query: Type.Static<typeof TimesQuery>): Span {
  return {
    fromMs: parseTime("startTime", query.startTime),
    toMs: parseTime("endTime", query.endTime),
  };
}

function toWireEvent({ id, atMs, event }: HeartbeatEvent) {
  const { sender, state } = event;
  return {
    id,
    state,
    timestamp: formatDateTime(new Date(atMs)),
    source: sender && `${sender.method} from ${sender.address}`,
    userAgent: sender?.userAgent ?? null,
  };
}

function toWireAvailability(availability: Availability | null) {
  if (availability === null) return null;
  const { previous, current, events } = availability;
  return {
    successRatio: { previousPeriod: previous, currentPeriod: current },
    totalEntitiesCurrentPeriod: events,
  };
}

function toWireStats({ last24Hours, last7Days }: EventStats) {
  return {
    last24Hours: toWireAvailability(last24Hours),
    last7Days: toWireAvailability(last7Days),
  };
}

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
