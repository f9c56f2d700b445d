import { Type } from "typebox";
import type { NamedEvent } from "../../platform/http/event-stream.ts";
import type { FeedEvent } from "./change-feed.ts";

export const EventsQuery = Type.Object({
  seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: "End the stream after so many seconds; without it, it stays open.",
      examples: [60],
    }),
  ),
});

/** OpenAPI knows one answer in two forms; the validator has no part in a stream. */
export const EventsAnswer = Type.Unsafe<string>({
  description:
    "`hello` when the stream is open; `changes` with a list of `{type, ids}`, where `ids` is null " +
    "for many; `resync` when something may have been missed, so that everything has to be read " +
    "again; `beat` in every silence of 20 seconds; `end` with the reason.",
  content: {
    "text/event-stream": {
      schema: Type.String({ description: "Server-sent events; the data of each is JSON." }),
    },
    "application/x-ndjson": {
      schema: Type.String({ description: "A line for each; `event` is its name." }),
    },
  },
});

export function toWireEvent({ event, ...data }: FeedEvent, nowMs: number): NamedEvent {
  return event === "beat" ? [event, data] : [event, data, String(nowMs)];
}
