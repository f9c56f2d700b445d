import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/** Name and data of an event, and an optional id for resuming. */
export type NamedEvent = readonly [name: string, data: object, id?: string];

const forms = {
  events: {
    type: "text/event-stream",
    write: ([name, data, id]: NamedEvent) =>
      `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`,
  },
  lines: {
    type: "application/x-ndjson",
    write: ([name, data, id]: NamedEvent) =>
      `${JSON.stringify({ event: name, ...(id !== undefined && { id }), ...data })}\n`,
  },
} as const;

async function* writeEvents(
  events: AsyncIterable<NamedEvent>,
  write: (event: NamedEvent) => string,
): AsyncGenerator<string> {
  try {
    for await (const event of events) yield write(event);
  } catch (error) {
    // The reader has disconnected or the server is stopping.
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
  }
}

/** Sends events as they occur: as server-sent events, or as JSON lines if requested. */
export function sendEvents(
  reply: FastifyReply,
  events: AsyncIterable<NamedEvent>,
  accept = "",
): FastifyReply {
  const { type, write } = /\bapplication\/x-ndjson\b/i.test(accept) ? forms.lines : forms.events;
  const headers = { "content-type": type, "cache-control": "no-cache", "x-accel-buffering": "no" };
  // Bytes, not objects, so that the buffer is counted in bytes and a slow reader causes
  // backpressure.
  const pieces = Readable.from(writeEvents(events, write), { objectMode: false });
  return reply.headers(headers).send(pieces);
}
