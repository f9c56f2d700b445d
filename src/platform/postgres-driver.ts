import {
  AbortedTransactionError,
  type CompiledQuery,
  type Dialect,
  type Driver,
  type DatabaseConnection as KyselyConnection,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import type pg from "pg";

/** PostgreSQL parses and plans a named statement once per connection. */
export interface NamedQuery extends CompiledQuery {
  readonly name?: string;
}

const changes = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** Called for every failed query; pg itself has no event for that. */
export type OnQueryError = (error: unknown, client: pg.PoolClient) => void;

class Connection implements KyselyConnection {
  readonly #client: pg.PoolClient;
  readonly #onError: OnQueryError;
  #isUnusable = false;

  constructor(client: pg.PoolClient, onError: OnQueryError) {
    this.#client = client;
    this.#onError = onError;
  }

  async #query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(query);
    } catch (error) {
      this.#onError(error, this.#client);
      throw error;
    }
  }

  async executeQuery<Row>({ name, sql, parameters }: NamedQuery): Promise<QueryResult<Row>> {
    const query = { text: sql, values: parameters as unknown[] };
    const { command, rowCount, rows } = await this.#query(
      name === undefined ? query : { name, ...query },
    );
    if (!changes.has(command)) return { rows };
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  /** Returns the command that PostgreSQL executed: a COMMIT may end as a ROLLBACK. */
  async control(text: string): Promise<string> {
    const { command } = await this.#query({ text });
    return command;
  }

  /** Never throws: the original error matters more than the failed rollback. */
  async rollback(): Promise<void> {
    await this.#query({ text: "rollback" }).catch(() => {
      this.#isUnusable = true;
    });
  }

  // biome-ignore lint/correctness/useYield: Kysely requires the method, and nothing here streams.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("Streaming is not supported.");
  }

  release(): void {
    this.#client.release(this.#isUnusable);
  }
}

function describeBegin({ isolationLevel, accessMode }: TransactionSettings): string {
  const level = isolationLevel === undefined ? "" : ` isolation level ${isolationLevel}`;
  return `begin${level}${accessMode === undefined ? "" : ` ${accessMode}`}`;
}

/** Kysely's own PostgreSQL driver cannot pass the name of a statement. */
class NamingDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #onError: OnQueryError;
  readonly #connections = new WeakMap<pg.PoolClient, Connection>();

  constructor(pool: pg.Pool, onError: OnQueryError) {
    this.#pool = pool;
    this.#onError = onError;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    const client = await this.#pool.connect();
    const known = this.#connections.get(client);
    if (known !== undefined) return known;
    const connection = new Connection(client, this.#onError);
    this.#connections.set(client, connection);
    return connection;
  }

  async beginTransaction(connection: Connection, settings: TransactionSettings): Promise<void> {
    await connection.control(describeBegin(settings));
  }

  async commitTransaction(connection: Connection): Promise<void> {
    const command = await connection.control("commit");
    // PostgreSQL does not fail the COMMIT of a transaction with a failed statement; it rolls back.
    if (command === "ROLLBACK") throw new AbortedTransactionError();
  }

  rollbackTransaction(connection: Connection): Promise<void> {
    return connection.rollback();
  }

  async releaseConnection(connection: Connection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

export function createDialect(pool: pg.Pool, onError: OnQueryError = () => {}): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new NamingDriver(pool, onError),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}
