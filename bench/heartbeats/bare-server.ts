/** Baseline: Fastify with one route that stores each ping with one insert. */
import fastify from "fastify";
import pg from "pg";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../src/platform/log.ts";

const [dataDir = ""] = process.argv.slice(2);
const postgres = await startEmbeddedPostgres({
  dataDir,
  log: createLog("silent"),
  onRestart: () => {},
  onAbandoned: (error) => {
    throw error;
  },
});
const pool = new pg.Pool({ ...postgres.connection, max: 10 });
pool.on("error", () => {});
await pool.query(`create table if not exists pings (id bigint generated always as identity primary key,
  token uuid not null, at timestamptz not null default now(), address text, user_agent text)`);
const server = fastify();
server.get<{ Params: { token: string } }>("/ping/:token", async (request) => {
  await pool.query({
    name: "insert-ping",
    text: "insert into pings (token, address, user_agent) values ($1, $2, $3)",
    values: [request.params.token, request.ip, request.headers["user-agent"]],
  });
  return "OK";
});
process.stdout.write(`listens on ${await server.listen({ port: 0, host: "127.0.0.1" })}\n`);
process.once("SIGTERM", async () => {
  await server.close();
  await pool.end();
  await postgres.stop();
});
