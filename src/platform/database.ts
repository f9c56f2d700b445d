import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Log } from "./log.ts";

/** Every room names its own tables with `withTables`; no place knows them all. */
export type Database = Kysely<unknown>;

export type DatabaseConnection =
  | { readonly connectionString: string }
  | { readonly host: string; readonly user: string; readonly database: string };

export interface DatabasePool {
  readonly db: Database;
  /** For hot paths: prepared statements without a query builder. */
  readonly pool: pg.Pool;
  readonly connection: DatabaseConnection;
  readonly close: () => Promise<void>;
}

const int8 = 20;
const types = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function clientOptions(connection: DatabaseConnection): pg.ClientConfig {
  return { ...connection, types, application_name: "vedette" };
}

export function openDatabase(connection: DatabaseConnection, log: Log): DatabasePool {
  const pool = new pg.Pool({
    ...clientOptions(connection),
    max: 16,
    // A quiet server runs a check every few seconds; each new connection would cost more than that.
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 20_000,
    idle_in_transaction_session_timeout: 30_000,
  });
  let isClosing = false;
  // Only the message: the error carries the whole client, with the key that cancels its queries.
  pool.on("error", ({ message }) => {
    log[isClosing ? "debug" : "warn"]({ reason: message }, "an idle database connection broke");
  });
  // The pool hears of idle connections only. One that breaks in use also fails its query, which is
  // answered for; but an error event without a listener would end the whole process.
  pool.on("connect", (client) => {
    client.on("error", ({ message }) => {
      log.debug({ reason: message }, "a database connection broke in use");
    });
  });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const close = () => {
    isClosing = true;
    return db.destroy();
  };
  return { db, pool, connection, close };
}

/**
 * The query builder on a connection that somebody else holds, inside their transaction. It neither
 * begins nor ends anything, and must not be used once the connection has been given back.
 */
export function databaseOn(client: pg.PoolClient): Database {
  const connection = {
    query: client.query.bind(client) as pg.PoolClient["query"],
    release: () => {},
  };
  const pool = { options: {}, connect: async () => connection as never, end: async () => {} };
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
}
