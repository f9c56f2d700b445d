import { CompiledQuery, type Kysely } from "kysely";
import type { NamedQuery } from "./postgres-driver.ts";

/**
 * Database handle used by stores: the pool, one of its connections, or a transaction. Each module
 * names its tables with `withTables`; no type lists all tables.
 */
export type Database = Kysely<unknown>;

/**
 * Runs the work in a transaction. If `db` is already a transaction the work joins it, and an error
 * must end the outer one too.
 */
export function inTransaction<Outcome>(
  db: Database,
  work: (transaction: Database) => Promise<Outcome>,
): Promise<Outcome> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/**
 * Runs work that may fail without ending the surrounding transaction: its changes are rolled back
 * and the error is thrown. It waits for locks at most `lockTimeoutMs`.
 */
export async function inSavepoint<Outcome>(
  db: Database,
  { lockTimeoutMs }: { readonly lockTimeoutMs: number },
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  await runSql(db, "savepoint attempt");
  try {
    await runSql(db, `set local lock_timeout = ${lockTimeoutMs}`);
    const outcome = await work();
    await runSql(db, "set local lock_timeout to default");
    await runSql(db, "release savepoint attempt");
    return outcome;
  } catch (error) {
    // On a broken connection this fails too, and with it the whole transaction.
    await runSql(db, "rollback to savepoint attempt");
    await runSql(db, "release savepoint attempt");
    throw error;
  }
}

/**
 * Runs work that needs one session, for example for an advisory lock that outlives a transaction.
 */
export function onOneConnection<Outcome>(
  db: Database,
  work: (connection: Database) => Promise<Outcome>,
): Promise<Outcome> {
  return db.isTransaction ? work(db) : db.connection().execute(work);
}

/** Blocks other transactions that lock the same name until this one ends. */
export async function lockName(transaction: Database, name: string): Promise<void> {
  await runPrepared(transaction, {
    name: "lock-name",
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [name],
  });
}

export interface PreparedStatement {
  /**
   * Unique in the product: PostgreSQL prepares the statement under this name once per connection.
   */
  readonly name: string;
  /** Always the same for one name. */
  readonly text: string;
  readonly values: readonly unknown[];
}

const emptyQuery = CompiledQuery.raw("");

/** Runs a statement that is parsed and planned once per connection; for frequent queries. */
export async function runPrepared<Row = Record<string, unknown>>(
  db: Database,
  { name, text, values }: PreparedStatement,
): Promise<Row[]> {
  const query: NamedQuery = { ...emptyQuery, sql: text, parameters: values, name };
  return (await db.executeQuery<Row>(query)).rows;
}

/** Runs SQL whose text varies or that is too rare to stay prepared. */
export async function runSql<Row = Record<string, unknown>>(
  db: Database,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const query: CompiledQuery = { ...emptyQuery, sql: text, parameters: values };
  return (await db.executeQuery<Row>(query)).rows;
}

export interface DatabaseFacts {
  /** For example `18.1`. */
  readonly version: string;
  readonly sizeBytes: number;
}

/** Expensive: it reads the size of every file. */
export async function readDatabaseFacts(db: Database): Promise<DatabaseFacts> {
  const [facts] = await runSql<DatabaseFacts>(
    db,
    `select split_part(current_setting('server_version'), ' ', 1) as version,
      pg_database_size(current_database()) as "sizeBytes"`,
  );
  if (facts === undefined) throw new Error("the database returned no version and size");
  return facts;
}
