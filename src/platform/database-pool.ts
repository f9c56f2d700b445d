import type { Socket } from "node:net";
import pg from "pg";
import type { Database } from "./database.ts";
import { createDatabase } from "./database-handle.ts";
import type { Log } from "./log.ts";
import { WriteFaults } from "./write-faults.ts";

export type DatabaseConnection =
  | { readonly connectionString: string }
  | { readonly host: string; readonly user: string; readonly database: string };

/** Database timeouts. A connection may stop responding without being closed. */
export interface DatabaseDeadlines {
  readonly connectMs: number;
  /** `statement_timeout` of PostgreSQL. */
  readonly statementMs: number;
  /** After this long without a response a connection is considered dead and destroyed. */
  readonly answerMs: number;
  readonly heartbeatEveryMs: number;
}

/** Derives all timeouts from the statement timeout. */
export function planDeadlines(statementMs: number): DatabaseDeadlines {
  return {
    connectMs: Math.min(5_000, statementMs),
    statementMs,
    answerMs: statementMs + Math.min(1_000, statementMs),
    heartbeatEveryMs: Math.min(10_000, statementMs),
  };
}

export const defaultDeadlines = planDeadlines(20_000);

export interface DatabasePool {
  readonly db: Database;
  /** For tests and benchmarks of the database itself; the product uses `db`. */
  readonly pool: pg.Pool;
  readonly connection: DatabaseConnection;
  readonly writeFaults: WriteFaults;
  readonly close: () => Promise<void>;
}

const int8 = 20;
const types = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function clientOptions(connection: DatabaseConnection): pg.ClientConfig {
  return {
    ...connection,
    types,
    application_name: "vedette",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Destroys the socket, because an unresponsive peer never acknowledges an orderly close. */
export function cutOff(client: pg.ClientBase): void {
  // Both are missing in the typings; the pool itself closes its connections in this way.
  const known = client as unknown as pg.Client & { connection: { stream: Socket } };
  // From now on the pool only removes the client when it is released.
  known.end().catch(() => {});
  known.connection.stream.destroy();
}

export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

/** How long a stop waits for connections to close. */
const closeMs = 3_000;

export function openDatabase(
  connection: DatabaseConnection,
  log: Log,
  deadlines: DatabaseDeadlines = defaultDeadlines,
): DatabasePool {
  const pool = new pg.Pool({
    ...clientOptions(connection),
    max: 16,
    // A nearly idle server runs a check every few seconds; a new connection each time would cost
    // more.
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: deadlines.connectMs,
    statement_timeout: deadlines.statementMs,
    query_timeout: deadlines.answerMs,
    idle_in_transaction_session_timeout: 30_000,
  });
  const onQueryError = (error: unknown, client: pg.PoolClient) => {
    writeFaults.note(error);
    if (!isUnanswered(error)) return;
    log.warn("a database connection stopped responding and was destroyed");
    cutOff(client);
  };
  const db = createDatabase(pool, onQueryError);
  const writeFaults = new WriteFaults(db);
  const clients = new Set<pg.PoolClient>();
  let isClosing = false;
  // Only the message: the error holds the client with its cancellation key.
  pool.on("error", ({ message }) => {
    log[isClosing ? "debug" : "warn"]({ reason: message }, "idle database connection failed");
  });
  // The pool handles errors of idle connections only. A connection that breaks in use also fails
  // its query, but an error event without a listener would end the process.
  pool.on("connect", (client) => {
    clients.add(client);
    client.on("error", ({ message }) => {
      log.debug({ reason: message }, "database connection failed in use");
    });
  });
  pool.on("remove", (client) => clients.delete(client));
  const close = async () => {
    isClosing = true;
    const cut = setTimeout(() => clients.forEach(cutOff), closeMs);
    if (!pool.ending) await pool.end();
    clearTimeout(cut);
  };
  return { db, pool, connection, writeFaults, close };
}
