import { CompiledQuery, type Kysely } from "kysely";
import type { NamedQuery } from "./postgres-driver.ts";

/**
 * The one handle that stores take: the pool, one connection of it, or a transaction. Every room
 * names its own tables with `withTables`; no place knows them all.
 */
export type Database = Kysely<unknown>;

/**
 * All of the work or nothing of it. Joins the transaction that `db` may already be: then an error
 * must end the outer one too.
 */
export function inTransaction<Outcome>(
  db: Database,
  work: (transaction: Database) => Promise<Outcome>,
): Promise<Outcome> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/**
 * Work that may fail without ending the transaction it is part of: its changes are undone, and the
 * error is thrown. It waits for locks no longer than it is told.
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

/** For what belongs to a session, such as an advisory lock that outlives a transaction. */
export function onOneConnection<Outcome>(
  db: Database,
  work: (connection: Database) => Promise<Outcome>,
): Promise<Outcome> {
  return db.isTransaction ? work(db) : db.connection().execute(work);
}

/** Other transactions that lock the same name wait until this one ends. */
export async function lockName(transaction: Database, name: string): Promise<void> {
  await runPrepared(transaction, {
    name: "lock-name",
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [name],
  });
}

export interface PreparedStatement {
  /** Unique in the product: PostgreSQL keeps the statement under it, once per connection. */
  readonly name: string;
  /** Always the same under one name. */
  readonly text: string;
  readonly values: readonly unknown[];
}

const emptyQuery = CompiledQuery.raw("");

/** For hot paths: without a query builder, and parsed and planned once per connection. */
export async function runPrepared<Row = Record<string, unknown>>(
  db: Database,
  { name, text, values }: PreparedStatement,
): Promise<Row[]> {
  const query: NamedQuery = { ...emptyQuery, sql: text, parameters: values, name };
  return (await db.executeQuery<Row>(query)).rows;
}

/** SQL whose text varies, or that is too rare to be kept prepared. */
export async function runSql<Row = Record<string, unknown>>(
  db: Database,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const query: CompiledQuery = { ...emptyQuery, sql: text, parameters: values };
  return (await db.executeQuery<Row>(query)).rows;
}
