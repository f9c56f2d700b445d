import pg from "pg";
import { clientOptions, type DatabaseConnection } from "../database-pool.ts";
import { ExplainedError } from "../errors.ts";

/** Fixes the formats of rows, independent of the server's settings. */
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
  // Otherwise two scans of one table share their reads and start in the middle.
  "set synchronize_seqscans = off",
];

/** Opens a separate connection without the timeouts for the product's short statements. */
export async function openSession(
  connection: DatabaseConnection,
  applicationName: string,
): Promise<pg.Client> {
  const client = new pg.Client({
    ...clientOptions(connection),
    application_name: applicationName,
    // A lost database is detected by TCP keep-alive.
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
