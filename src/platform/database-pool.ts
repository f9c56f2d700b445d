import type { Socket } from "node:net";
import pg from "pg";
import type { Database, Statement } from "./database.ts";
import { WriteFaults } from "./database-errors.ts";
import type { Log } from "./log.ts";

/** Called for every failed query, because pg does not emit an event for it. */
type OnQueryError = (error: unknown, client: pg.PoolClient) => void;

/** One connection of the pool, while a caller uses it. */
class Session {
  readonly #client: pg.PoolClient;
  readonly #onError: OnQueryError;
  #isUnusable = false;
  /**
   * Settles when the last query ends. The next query waits for it, because pg accepts one query at
   * a time.
   */
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: pg.PoolClient, onError: OnQueryError) {
    this.#client = client;
    this.#onError = onError;
  }

  query(statement: Statement): Promise<pg.QueryResult> {
    const result = this.#last.then(() => this.#send(statement));
    this.#last = result.catch(() => {});
    return result;
  }

  async #send(statement: Statement): Promise<pg.QueryResult> {
    try {
      // The cast is safe: pg does not change the values, but its types lack `readonly`.
      return await this.#client.query(statement as pg.QueryConfig);
    } catch (error) {
      this.#onError(error, this.#client);
      throw error;
    }
  }

  async transaction<Outcome>(work: (transaction: Database) => Promise<Outcome>): Promise<Outcome> {
    await this.query({ text: "begin" });
    try {
      const outcome = await work(new SessionHandle(this, true));
      const { command } = await this.query({ text: "commit" });
      // If a statement failed, PostgreSQL answers COMMIT with ROLLBACK instead of an error.
      if (command === "ROLLBACK") {
        throw new Error("the transaction was rolled back instead of committed");
      }
      return outcome;
    } catch (error) {
      // Ignore a failed rollback, because the caller needs the original error.
      await this.query({ text: "rollback" }).catch(() => {
        this.#isUnusable = true;
      });
      throw error;
    }
  }

  release(): void {
    this.#client.release(this.#isUnusable);
  }
}

class SessionHandle implements Database {
  readonly isTransaction: boolean;
  readonly #session: Session;

  constructor(session: Session, isTransaction: boolean) {
    this.#session = session;
    this.isTransaction = isTransaction;
  }

  async run(statement: Statement): Promise<unknown[]> {
    return (await this.#session.query(statement)).rows;
  }

  transaction<Outcome>(work: (transaction: Database) => Promise<Outcome>): Promise<Outcome> {
    return this.isTransaction ? work(this) : this.#session.transaction(work);
  }

  connection<Outcome>(work: (connection: Database) => Promise<Outcome>): Promise<Outcome> {
    return work(this);
  }
}

class PoolHandle implements Database {
  readonly isTransaction = false;
  readonly #pool: pg.Pool;
  readonly #onError: OnQueryError;

  constructor(pool: pg.Pool, onError: OnQueryError) {
    this.#pool = pool;
    this.#onError = onError;
  }

  async #use<Outcome>(work: (session: Session) => Promise<Outcome>): Promise<Outcome> {
    const session = new Session(await this.#pool.connect(), this.#onError);
    try {
      return await work(session);
    } finally {
      session.release();
    }
  }

  async run(statement: Statement): Promise<unknown[]> {
    return (await this.#use((session) => session.query(statement))).rows;
  }

  transaction<Outcome>(work: (transaction: Database) => Promise<Outcome>): Promise<Outcome> {
    return this.#use((session) => session.transaction(work));
  }

  connection<Outcome>(work: (connection: Database) => Promise<Outcome>): Promise<Outcome> {
    return this.#use((session) => work(new SessionHandle(session, false)));
  }
}

export function createDatabase(pool: pg.Pool, onError: OnQueryError = () => {}): Database {
  return new PoolHandle(pool, onError);
}

export type DatabaseConnection =
  | { readonly connectionString: string }
  | { readonly host: string; readonly user: string; readonly database: string };

/**
 * Timeouts of the database. They are needed because a connection may stop responding without being
 * closed.
 */
export interface DatabaseDeadlines {
  readonly connectMs: number;
  /** `statement_timeout` of PostgreSQL. */
  readonly statementMs: number;
  /** Time without a response after which a connection is destroyed. */
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
  /** The pool itself, for tests and benchmarks of the database. All other code uses `db`. */
  readonly pool: pg.Pool;
  readonly connection: DatabaseConnection;
  readonly writeFaults: WriteFaults;
  readonly close: () => Promise<void>;
}

export type OpenDatabase = (
  connection: DatabaseConnection,
  log: Log,
  deadlines: DatabaseDeadlines,
) => Pick<DatabasePool, "db" | "writeFaults" | "close">;

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

/**
 * Closes a connection by destroying its socket. An orderly close would wait for a peer that may not
 * respond.
 */
export function cutOff(client: pg.ClientBase): void {
  // pg's types lack `end` and `connection`. The pool itself uses them to close its connections.
  const known = client as unknown as pg.Client & { connection: { stream: Socket } };
  // After `end`, the pool does not use the client again, and removes it when it is released.
  known.end().catch(() => {});
  known.connection.stream.destroy();
}

function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

/** How long `close` waits for connections before it destroys them. */
const closeMs = 3_000;

export function openDatabase(
  connection: DatabaseConnection,
  log: Log,
  deadlines: DatabaseDeadlines = defaultDeadlines,
  maxConnections = 16,
): DatabasePool {
  const pool = new pg.Pool({
    ...clientOptions(connection),
    max: maxConnections,
    // A nearly idle server sends queries every few seconds. Keeping its connection open costs less
    // than opening a new one each time.
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
  // Log only the message, because the error contains the client and its cancellation key.
  pool.on("error", ({ message }) => {
    log[isClosing ? "debug" : "warn"]({ reason: message }, "idle database connection failed");
  });
  // The pool handles errors of idle connections only. If a connection breaks while it is in use,
  // its query fails, and the client also emits an error event. Without a listener, the event would
  // end the process.
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
