import type { FastifyReply } from "fastify";

/** Sends text that is already JSON: Fastify sends a string unchanged, without serialization. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.header("content-type", "application/json; charset=utf-8").send(text);
}

/** Sends a response that a library wrote, with its status and headers. */
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
