import pg from "pg";
import { clientOptions, type DatabaseConnection } from "../database-pool.ts";
import { ExplainedError } from "../errors.ts";
import type { Sequences, TableStart } from "./format.ts";

/**
 * Session settings: no timeouts, and a text format of rows that does not depend on the server's
 * configuration.
 */
const settings = [
  "set statement_timeout = 0",
  "set lock_timeout = 0",
  "set idle_in_transaction_session_timeout = 0",
  "set client_encoding = 'UTF8'",
  "set datestyle = 'ISO, YMD'",
  "set intervalstyle = 'postgres'",
  "set timezone = 'UTC'",
  "set extra_float_digits = 3",
  "set bytea_output = 'hex'",
  "set row_security = off",
  // Without this setting, a table scan could start in the middle and change the order of the rows.
  "set synchronize_seqscans = off",
];

/** Opens a connection without statement and lock timeouts, because a backup may take hours. */
export async function openSession(
  connection: DatabaseConnection,
  applicationName: string,
): Promise<pg.Client> {
  const client = new pg.Client({
    ...clientOptions(connection),
    application_name: applicationName,
    // No query timeout is needed, because TCP keep-alive detects a lost database.
    query_timeout: 0,
  });
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    if (!("connectionString" in connection)) throw error;
    const { message, code } = error as Error & { code?: string };
    throw new ExplainedError(
      `PostgreSQL at DATABASE_URL cannot be used: ${message === "" ? code : message}\n` +
        "Check that it runs, and that DATABASE_URL has the right host, user, password and database.",
    );
  }
  for (const setting of settings) await client.query(setting);
  return client;
}

export function quoteName(name: string): string {
  return pg.escapeIdentifier(name);
}

export interface CatalogueTable extends TableStart {
  /** Size of the table's rows in bytes, used to report progress. */
  readonly sizeBytes: number;
}

/**
 * Lists every table that contains rows to back up: partitions, and tables without partitions.
 * Unlogged tables are skipped, because PostgreSQL empties them after a crash anyway. Generated
 * columns are omitted, because PostgreSQL computes them again.
 */
export async function listTables(client: pg.Client): Promise<readonly CatalogueTable[]> {
  const { rows } = await client.query(`
    select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound,
      pg_relation_size(c.oid) as size_bytes,
      (select coalesce(array_agg(a.attname::text order by a.attnum), '{}') from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '')
        as columns
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid
    left join pg_class p on p.oid = i.inhparent
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      and c.relpersistence = 'p'
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.relname`);
  return rows.map((row) => ({
    name: row.name,
    columns: row.columns,
    partition: row.parent === null ? null : { parent: row.parent, bound: row.bound },
    sizeBytes: row.size_bytes,
  }));
}

export async function readSequences(client: pg.Client): Promise<Sequences> {
  const { rows } = await client.query(`
    select relname as name from pg_class
    where relkind = 'S' and relnamespace = current_schema()::regnamespace order by relname`);
  const sequences: Sequences = [];
  for (const { name } of rows) {
    const state = await client.query(
      `select last_value::text as "lastValue", is_called as "isCalled" from ${quoteName(name)}`,
    );
    sequences.push({ name, ...state.rows[0] });
  }
  return sequences;
}

/** Returns the first part of a COPY statement: the table and its columns. */
export function copyTarget({ name, columns }: Pick<TableStart, "name" | "columns">): string {
  return `copy ${quoteName(name)} (${columns.map(quoteName).join(", ")})`;
}
