/**
 * Process that owns an embedded PostgreSQL, for tests that kill the owner. It writes one line when
 * PostgreSQL is ready, and stops PostgreSQL cleanly when its standard input ends.
 */
import { once } from "node:events";
import { startEmbeddedPostgres } from "../../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../../src/platform/log.ts";

const [, , dataDir = ""] = process.argv;

const postgres = await startEmbeddedPostgres({
  dataDir,
  log: createLog("silent"),
  onRestart: () => {},
  onAbandoned: (error) => {
    throw error;
  },
});
process.stdout.write(`${JSON.stringify({ pid: postgres.pid(), ...postgres.connection })}\n`);
process.stdin.resume();
await once(process.stdin, "end");
await postgres.stop();
