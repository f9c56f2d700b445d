/**
 * Database handle used by stores: the pool, one of its connections, or a transaction. Modules use
 * the functions of this file, not the methods.
 */
export interface Database {
  readonly isTransaction: boolean;
  /** Runs a statement and returns its rows. */
  run(statement: Statement): Promise<unknown[]>;
  transaction<Outcome>(work: (transaction: Database) => Promise<Outcome>): Promise<Outcome>;
  connection<Outcome>(work: (connection: Database) => Promise<Outcome>): Promise<Outcome>;
}

export interface Statement {
  /** PostgreSQL parses and plans a named statement once per connection. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/**
 * Runs the work in a transaction. If `db` is already a transaction the work joins it, and an error
 * must end the outer one too.
 */
export function inTransaction<Outcome>(
  db: Database,
  work: (transaction: Database) => Promise<Outcome>,
): Promise<Outcome> {
  return db.transaction(work);
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
  return db.connection(work);
}

/** Blocks other transactions that lock the same name until this one ends. */
export async function lockName(transaction: Database, name: string): Promise<void> {
  await runPrepared(transaction, {
    name: "lock-name",
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [name],
  });
}

/** The name is unique in the product, and the text is always the same for one name. */
interface PreparedStatement extends Statement {
  readonly name: string;
  readonly values: readonly unknown[];
}

/**
 * Runs a statement that is parsed and planned once per connection; for frequent queries. The caller
 * names the type of a row, whose fields are the columns as the statement names them.
 */
export function runPrepared<Row = Record<string, unknown>>(
  db: Database,
  statement: PreparedStatement,
): Promise<Row[]> {
  return db.run(statement) as Promise<Row[]>;
}

/**
 * Runs SQL whose text varies or that is too rare to stay prepared. It is planned for its values: an
 * optional filter such as `($2::uuid is null or id >= $2)` costs nothing if the value is absent.
 */
export function runSql<Row = Record<string, unknown>>(
  db: Database,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return db.run({ text, values }) as Promise<Row[]>;
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
