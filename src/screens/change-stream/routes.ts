import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { type Credentials, findStanding } from "../../access/accounts/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { badToken } from "../../platform/errors.ts";
import { answers } from "../../platform/http/schema.ts";
import { type NamedEvent, sendEvents } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { StreamSlots } from "../../platform/http/stream-slots.ts";
import type { ChangeNotifications } from "../../platform/notifications.ts";
import type { ChangeFeed, FeedEvent } from "./change-feed.ts";
import { ChangeStreams } from "./change-feed.ts";

export interface EventsContext {
  readonly clock: Clock;
  /** Number of servers that share the limit of streams per account; one by default. */
  readonly servers?: (() => number) | undefined;
  readonly credentials: Credentials;
  /** Change notifications from the database. */
  readonly accountChanges: ChangeNotifications;
  /** Notifications about changed API keys, sessions and members. */
  readonly callerChanges: ChangeNotifications;
}

const EventsQuery = Type.Object({
  seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: "Ends the stream after this number of seconds; by default it stays open.",
      examples: [60],
    }),
  ),
});

/** Describes the stream and its two formats in OpenAPI. The content is not validated. */
const EventsAnswer = Type.Unsafe<string>({
  description:
    "`hello` when the stream is open; `changes` with a list of `{type, ids}`, where `ids` is null " +
    "for many; `resync` if changes may have been missed and everything must be fetched " +
    "again; `beat` after 20 seconds of silence; `end` with the reason.",
  content: {
    "text/event-stream": {
      schema: Type.String({ description: "Server-sent events; the data of each is JSON." }),
    },
    "application/x-ndjson": {
      schema: Type.String({ description: "One line per event; `event` is its name." }),
    },
  },
});

function toWireEvent({ event, ...data }: FeedEvent, nowMs: number): NamedEvent {
  return event === "beat" ? [event, data] : [event, data, String(nowMs)];
}

/** Maximum number of streams: `perAccount` on all servers together, `total` on one server. */
const limits = { perAccount: 200, total: 1_000 };
/** A heartbeat is sent after 20 s, because proxies close streams after about 25 s of silence. */
const times = { quietMs: 500, beatMs: 20_000 };

async function* toWire(feed: ChangeFeed, nowMs: () => number) {
  for await (const event of feed.follow(times)) yield toWireEvent(event, nowMs());
}

export function addEventRoutes(server: HttpServer, context: EventsContext): void {
  const { clock, credentials, accountChanges, callerChanges } = context;
  const nowMs = () => clock.now().getTime();
  const slots = new StreamSlots({ ...limits, servers: context.servers });
  const streams = new ChangeStreams(nowMs);
  accountChanges.onChange(streams.publish);
  callerChanges.onChange(() => void streams.review());
  server.addHook("preClose", (done) => {
    slots.close();
    streams.endAll("stopping");
    done();
  });
  const openFeed = async (request: FastifyRequest, seconds: number | undefined) => {
    const find = () => findStanding(credentials, request, "read");
    const standing = await find();
    if (standing === null) throw badToken();
    const slot = slots.take(request.caller.accountId);
    const { feed, close } = streams.open(standing, find);
    const over =
      seconds === undefined ? undefined : setTimeout(() => feed.end("time-over"), seconds * 1_000);
    return {
      feed,
      close: () => {
        clearTimeout(over);
        close();
        slots.release(slot);
        feed.end("stopping");
      },
    };
  };
  server.get(
    "/v1/events",
    {
      config: { access: "read" },
      // A HEAD route is not exposed, because a HEAD request to a stream would never end.
      exposeHeadRoute: false,
      schema: {
        tags: ["Events"],
        operationId: "streamEvents",
        summary: "Stream changes of the account",
        description:
          "The stream contains what changed, not the data: fetch what you show. It sends at most " +
          "two lists of changes per second. After a gap, and whenever " +
          "`Last-Event-ID` is sent, it starts with `resync`. Server-sent events by default; with " +
          "`Accept: application/x-ndjson`, one line per event. See docs/events.md.",
        querystring: EventsQuery,
        response: answers({ 200: EventsAnswer }, "unavailable"),
      },
    },
    async (request, reply) => {
      const { feed, close } = await openFeed(request, request.query.seconds);
      reply.raw.once("close", close);
      // If the client disconnected during authorisation, `close` has already been emitted.
      if (reply.raw.destroyed) close();
      if (request.headers["last-event-id"] !== undefined) feed.resync();
      return sendEvents(reply, toWire(feed, nowMs), request.headers.accept);
    },
  );
}
