import { randomBytes } from "node:crypto";
import { statfs } from "node:fs/promises";
import type pg from "pg";
import { cutOff, type DatabaseConnection } from "../database-pool.ts";
import { ExplainedError, readCode } from "../errors.ts";
import { openSession, quoteName } from "./session.ts";

/** Thrown if the backup cannot be verified on this machine or database. It may still be valid. */
export class CannotVerify extends ExplainedError {}

const insufficientPrivilege = "42501";

function connectionTo(connection: DatabaseConnection, database: string): DatabaseConnection {
  if (!("connectionString" in connection)) return { ...connection, database };
  const url = new URL(connection.connectionString);
  url.pathname = `/${encodeURIComponent(database)}`;
  return { connectionString: url.href };
}

/**
 * Returns the connection that creates databases: for an embedded PostgreSQL, the connection of the
 * superuser. For an external PostgreSQL, only the connection of the application's role is known.
 */
function administratorOf(connection: DatabaseConnection): DatabaseConnection {
  if ("connectionString" in connection) return connection;
  return { ...connection, user: "postgres", database: "postgres" };
}

async function readPlace(connection: DatabaseConnection) {
  const client = await openSession(connection, "vedette verify");
  try {
    const { rows } = await client.query(`
      select current_database() as name, current_user as owner,
        pg_database_size(current_database()) as "sizeBytes"`);
    return rows[0] as { name: string; owner: string; sizeBytes: number };
  } finally {
    cutOff(client);
  }
}

/**
 * Throws if the disk has too little space for a copy. A full disk would stop the database itself.
 */
async function rejectFullDisk(folder: string, sizeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free > 1.5 * sizeBytes + 536_870_912) return;
  throw new CannotVerify(
    "The database disk has too little space for a second copy of the database.\n" +
      "Free some space, or verify on another machine with `vedette verify FILE`.",
  );
}

async function dropForgotten(client: pg.Client, prefix: string): Promise<void> {
  const { rows } = await client.query(
    `select datname as name from pg_database d where starts_with(datname, $1)
      and not exists (select 1 from pg_stat_activity a where a.datname = d.datname)`,
    [prefix],
  );
  for (const { name } of rows) await client.query(`drop database if exists ${quoteName(name)}`);
}

async function createDatabase(client: pg.Client, name: string, owner: string): Promise<void> {
  try {
    await client.query(
      `create database ${quoteName(name)} owner ${quoteName(owner)} template template0`,
    );
  } catch (error) {
    if (readCode(error) !== insufficientPrivilege) throw error;
    throw new CannotVerify(
      `The role ${owner} may not create databases, so a backup cannot be verified here.\n` +
        `Run \`psql -c 'alter role ${quoteName(owner)} createdb'\` as a superuser, ` +
        "or set BACKUP_VERIFY_EVERY_HOURS=0.",
    );
  }
}

/** Creates a temporary database on the same PostgreSQL, runs the work with it, and drops it. */
export async function inScratchDatabase<Outcome>(
  connection: DatabaseConnection,
  dataDir: string | null,
  work: (scratch: DatabaseConnection) => Promise<Outcome>,
): Promise<Outcome> {
  const place = await readPlace(connection);
  if (dataDir !== null) await rejectFullDisk(dataDir, place.sizeBytes);
  const client = await openSession(administratorOf(connection), "vedette verify");
  try {
    const prefix = `${place.name.slice(0, 40)}_verify_`;
    await dropForgotten(client, prefix);
    const name = `${prefix}${randomBytes(6).toString("hex")}`;
    await createDatabase(client, name, place.owner);
    try {
      return await work(connectionTo(connection, name));
    } finally {
      await client.query(`drop database if exists ${quoteName(name)} with (force)`);
    }
  } finally {
    cutOff(client);
  }
}
