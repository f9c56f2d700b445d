import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { type Database, runSql } from "./database.ts";
import { explainDamage, isLockTimeout } from "./database-errors.ts";
import { clientOptions, type DatabaseConnection } from "./database-pool.ts";
import { ExplainedError } from "./errors.ts";

export const migrationsFolder = join(import.meta.dirname, "..", "..", "migrations");

/** Application name of backup sessions. A server ends these sessions before it migrates. */
export const backupSessionName = "vedette backup";
/** Key of the advisory lock for migrations. No other program on the database uses this number. */
export const migrationLockKey = 7_333_883;
/**
 * The schema and rows after some of the migrations of its folder, and their names, as one script. A
 * database without any migration takes this script instead of them.
 */
export const baselineFile = "baseline.sql";
const namePattern = /^\d{4}-[a-z0-9-]+\.sql$/;

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder))
    .filter((name) => name.endsWith(".sql") && name !== baselineFile)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      if (!namePattern.test(name)) throw new Error(`${name} is not a valid migration name.`);
      const sql = await readFile(join(folder, name), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

export function rejectUnknownMigrations(
  applied: readonly { readonly name: string; readonly checksum: string }[],
  known: readonly Migration[],
  source: "database" | "backup" = "database",
): void {
  for (const { name, checksum } of applied) {
    const migration = known.find((one) => one.name === name);
    if (migration === undefined) {
      throw new ExplainedError(
        `The ${source} has the migration ${name}, which this version of Vedette does not know.\n` +
          (source === "backup"
            ? "A newer version wrote the backup: restore it with that version, or use an older backup."
            : "A newer version has used this database: start that version, or restore an older backup."),
      );
    }
    if (migration.checksum !== checksum) {
      throw new ExplainedError(`The migration ${name} was changed after it had been applied.`);
    }
  }
}

export const migrationsTable =
  "create table if not exists migrations (name text primary key, checksum text not null, " +
  "applied_at timestamptz not null default now())";

async function isNew(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select to_regclass('migrations') is null as missing");
  return rows[0]?.missing === true;
}

async function listPending(
  client: pg.Client,
  known: readonly Migration[],
): Promise<readonly Migration[]> {
  if (await isNew(client)) return known;
  const { rows } = await client.query("select name, checksum from migrations");
  rejectUnknownMigrations(rows, known);
  const names = new Set(rows.map((row) => row.name));
  return known.filter((migration) => !names.has(migration.name));
}

/** Creates the schema of a new database, as far as the folder has a baseline. */
async function applyBaseline(client: pg.Client, folder: string): Promise<void> {
  const sql = await readFile(join(folder, baselineFile), "utf8").catch((error) => {
    if (error.code === "ENOENT") return migrationsTable;
    throw error;
  });
  await client.query("begin");
  await client.query(sql);
  await client.query("commit");
}

async function applyPending(
  client: pg.Client,
  known: readonly Migration[],
  folder: string,
): Promise<string[]> {
  const pending = await listPending(client, known);
  if (await isNew(client)) await applyBaseline(client, folder);
  for (const migration of await listPending(client, known)) await applyOne(client, migration);
  return pending.map((migration) => migration.name);
}

/** Ends running backups, because they hold the lock for migrations too long. */
async function endBackups(client: pg.Client): Promise<void> {
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = $1 and usename = current_user`,
    [backupSessionName],
  );
}

/**
 * Applies one migration. Servers of the previous release are still running. While a migration waits
 * for a table lock, their queries queue up behind it. Each attempt therefore waits only briefly for
 * the lock, and the queries run between the attempts.
 */
async function applyOne(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      await client.query(sql);
      const text = "insert into migrations (name, checksum) values ($1, $2)";
      await client.query(text, [name, checksum]);
      await client.query("commit");
      return;
    } catch (error) {
      if (!isLockTimeout(error) || attempt === maxAttempts) throw error;
      await client.query("rollback");
      await setTimeout(betweenAttemptsMs);
    }
  }
}

/** Explains why the connection to an external PostgreSQL failed. */
function explainConnectError(error: Error & { code?: string }, connection: DatabaseConnection) {
  if (!("connectionString" in connection)) return error;
  // If a host has several addresses, the error is an AggregateError, which has a code but no
  // message.
  const reason = error.message === "" ? error.code : error.message;
  return new ExplainedError(
    `PostgreSQL at DATABASE_URL cannot be used: ${reason}\n` +
      "Check that it runs, and that DATABASE_URL has the right host, user, password and database.",
  );
}

const lockTimeoutMs = 2_000;
const betweenAttemptsMs = 500;
const maxAttempts = 200;
/** Time after which PostgreSQL disconnects a server that hangs while it migrates. */
const hangTimeoutMs = 60_000;

/** Maximum time of a statement on a large table, and of a wait for another server's migration. */
const longestMs = 1_800_000;

/** Applies pending migrations. If several servers start together, only one migrates. */
export async function migrate(
  connection: DatabaseConnection,
  folder: string = migrationsFolder,
): Promise<readonly string[]> {
  const known = await readMigrations(folder);
  const client = new pg.Client({ ...clientOptions(connection), query_timeout: longestMs });
  client.on("error", () => {});
  await client.connect().catch((error) => {
    throw explainConnectError(error, connection);
  });
  try {
    // Usually nothing is pending. Then return without acquiring the lock.
    if ((await listPending(client, known)).length === 0) return [];
    await client.query(`set idle_session_timeout = ${hangTimeoutMs}`);
    await client.query(`set idle_in_transaction_session_timeout = ${hangTimeoutMs}`);
    await endBackups(client);
    await client.query("select pg_advisory_lock($1)", [migrationLockKey]);
    return await applyPending(client, known, folder);
  } catch (error) {
    throw await explainDamage(error, client);
  } finally {
    // The end of the session releases the lock and rolls back an incomplete transaction.
    await client.end();
  }
}

/**
 * Lists pending migrations. Does not apply them, and does not verify the migrations that were
 * applied.
 */
export async function listPendingMigrations(db: Database): Promise<readonly string[]> {
  const applied = await runSql<{ name: string }>(db, "select name from migrations");
  const names = new Set(applied.map(({ name }) => name));
  return (await readMigrations(migrationsFolder))
    .map(({ name }) => name)
    .filter((name) => !names.has(name));
}
