import { Type } from "typebox";
import type { NamedEvent } from "../../platform/http/send.ts";
import type { FeedEvent } from "./change-feed.ts";

export const EventsQuery = Type.Object({
  seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: "Ends the stream after this number of seconds; by default it stays open.",
      examples: [60],
    }),
  ),
});

/** OpenAPI describes one response in two formats; streams are not validated. */
export const EventsAnswer = Type.Unsafe<string>({
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

export function toWireEvent({ event, ...data }: FeedEvent, nowMs: number): NamedEvent {
  return event === "beat" ? [event, data] : [event, data, String(nowMs)];
}
