/** Baseline: Fastify with one route that sends given bytes. */
import { readFileSync } from "node:fs";
import fastify from "fastify";

const [path = ""] = process.argv.slice(2);
const body = readFileSync(path, "utf8");
const server = fastify();
server.get("/v1/runtimes/:id", (_request, reply) => {
  reply.header("content-type", "application/json; charset=utf-8").send(body);
});
process.stdout.write(`listens on ${await server.listen({ port: 0, host: "127.0.0.1" })}\n`);
