import type { FastifyReply } from "fastify";

/** For text that is JSON already: Fastify sends a string as it is, past the serialiser. */
export function sendJson(reply: Pick<FastifyReply, "header" | "send">, text: string): never {
  reply.header("content-type", "application/json; charset=utf-8");
  return reply.send(text) as never;
}
