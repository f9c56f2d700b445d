import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { AnswerEvent } from "../answer-event.ts";
import { eventStreamHeaders, writeEventAnswer } from "./event-answer.ts";
import { writeJsonAnswer } from "./json-answer.ts";
import type { StreamRequest } from "./schema.ts";

export function sendAnswer(
  reply: FastifyReply,
  events: AsyncIterable<AnswerEvent>,
  form: StreamRequest["form"],
): FastifyReply {
  const wantsEvents = form === "events";
  const pieces = wantsEvents ? writeEventAnswer(events) : writeJsonAnswer(events);
  const headers = wantsEvents
    ? eventStreamHeaders
    : { "content-type": "application/json; charset=utf-8", "x-accel-buffering": "no" };
  // Bytes, not objects, so that buffered data is counted in bytes and a slow reader applies
  // backpressure.
  return reply.headers(headers).send(Readable.from(pieces, { objectMode: false }));
}
