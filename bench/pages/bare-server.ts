/** Baseline: Fastify with one route that sends given bytes. */
import { readFileSync } from "node:fs";
import fastify from "fastify";

const [path = ""] = process.argv.slice(2);
const body = readFileSync(path);
const server = fastify();
server.get("/status/:url", (_request, reply) => {
  reply.header("content-type", "text/html; charset=utf-8").send(body);
});
process.stdout.write(`listens on ${await server.listen({ port: 0, host: "127.0.0.1" })}\n`);
