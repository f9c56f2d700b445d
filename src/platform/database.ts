/**
 * Access to the database: through the pool, one of its connections, or a transaction. Modules do
 * not call the methods of this interface, but functions of this file such as `runSql`.
 */
export interface Database {
  readonly isTransaction: boolean;
  /** Runs a statement and returns its rows. */
  run(statement: Statement): Promise<unknown[]>;
  transaction<Outcome>(work: (transaction: Database) => Promise<Outcome>): Promise<Outcome>;
  connection<Outcome>(work: (connection: Database) => Promise<Outcome>): Promise<Outcome>;
}

export interface Statement {
  /**
   * Name of a prepared statement. PostgreSQL parses a statement with a name only once per
   * connection.
   */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/**
 * Runs the work in a transaction. If `db` is already a transaction, the work becomes part of it. If
 * the work then fails, the caller must let the error end that transaction.
 */
export function inTransaction<Outcome>(
  db: Database,
  work: (transaction: Database) => Promise<Outcome>,
): Promise<Outcome> {
  return db.transaction(work);
}

/**
 * Runs work in a savepoint. If the work fails, only its own changes are rolled back and the error
 * is thrown; the surrounding transaction can continue. A statement of the work waits for a lock for
 * at most `lockTimeoutMs`.
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
    // If the connection is broken, the rollback fails. Its error ends the whole transaction.
    await runSql(db, "rollback to savepoint attempt");
    await runSql(db, "release savepoint attempt");
    throw error;
  }
}

/** Runs work on one connection, for example to hold an advisory lock across transactions. */
export function onOneConnection<Outcome>(
  db: Database,
  work: (connection: Database) => Promise<Outcome>,
): Promise<Outcome> {
  return db.connection(work);
}

/** Acquires a lock on a name until the transaction ends. */
export async function lockName(transaction: Database, name: string): Promise<void> {
  await runPrepared(transaction, {
    name: "lock-name",
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [name],
  });
}

/** A prepared statement. No two statements of the product have the same name. */
interface PreparedStatement extends Statement {
  readonly name: string;
  readonly values: readonly unknown[];
}

/**
 * Runs a prepared statement, which PostgreSQL parses only once per connection. Use it for frequent
 * queries. `Row` declares the columns by the names that the statement gives them.
 */
export function runPrepared<Row = Record<string, unknown>>(
  db: Database,
  statement: PreparedStatement,
): Promise<Row[]> {
  return db.run(statement) as Promise<Row[]>;
}

/**
 * Runs SQL whose text varies, or that is too rare for a prepared statement. PostgreSQL plans it for
 * the given values, so an optional filter such as `($2::uuid is null or id >= $2)` costs nothing if
 * the value is null.
 */
export function runSql<Row = Record<string, unknown>>(
  db: Database,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return db.run({ text, values }) as Promise<Row[]>;
}

export interface DatabaseFacts {
  /** Version of PostgreSQL, such as `18.1`. */
  readonly version: string;
  readonly sizeBytes: number;
}

/**
 * Returns the version and size of the database. This is expensive, because PostgreSQL visits every
 * file of the database.
 */
export async function readDatabaseFacts(db: Database): Promise<DatabaseFacts> {
  const [facts] = await runSql<DatabaseFacts>(
    db,
    `select split_part(current_setting('server_version'), ' ', 1) as version,
      pg_database_size(current_database()) as "sizeBytes"`,
  );
  if (facts === undefined) throw new Error("the database returned no version and size");
  return facts;
}
