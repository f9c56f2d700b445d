import type pg from "pg";
import type { Database, Statement } from "./database.ts";

/** Called for every failed query; pg itself has no event for that. */
export type OnQueryError = (error: unknown, client: pg.PoolClient) => void;

/** One connection of the pool while it is in use. */
class Session {
  readonly #client: pg.PoolClient;
  readonly #onError: OnQueryError;
  #isUnusable = false;
  /** Ends with the last query; pg accepts one query at a time. */
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
      // pg does not change the values; its types only lack the `readonly`.
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
      // PostgreSQL does not fail the COMMIT of a transaction with a failed statement.
      if (command === "ROLLBACK") {
        throw new Error("the transaction was rolled back instead of committed");
      }
      return outcome;
    } catch (error) {
      // The original error matters more than a failed rollback.
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
