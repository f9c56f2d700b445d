import type { FastifyReply } from "fastify";

/** For text that is JSON already: Fastify sends a string as it is, past the serialiser. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.header("content-type", "application/json; charset=utf-8").send(text);
}

/** An answer that a library wrote, with a status and headers of its own. */
export function sendWritten(
  reply: FastifyReply,
  answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly text: string;
  },
): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.text);
}
