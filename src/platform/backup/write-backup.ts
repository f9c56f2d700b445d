import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { explainDamage, isMissingTable } from "../database-errors.ts";
import { cutOff, type DatabaseConnection } from "../database-pool.ts";
import { ExplainedError, readCode } from "../errors.ts";
import { backupSessionName, migrationLockKey } from "../migrations.ts";
import { ArchiveWriter } from "./archive.ts";
import { createBackupFile, type SealedKey, sealKey } from "./backup-file.ts";
import { type End, formatVersion, type Header } from "./format.ts";
import {
  type CatalogueTable,
  copyTarget,
  listTables,
  openSession,
  quoteName,
  readSequences,
} from "./session.ts";

export interface BackupProgress {
  readonly table: string;
  readonly rows: number;
  /** Share of the work that is done, by the size of the tables, from 0 to 1. */
  readonly share: number;
}

export interface BackupOptions {
  readonly connection: DatabaseConnection;
  readonly path: string;
  /** Version of Vedette that writes the backup. */
  readonly program: string;
  readonly startedAt: Date;
  /** Share of the disk, from 0 to 1, that the backup leaves free, and at least 256 MB. */
  readonly freeShare?: number;
  /** The encryption key in base64 and the passphrase that protects it; `null` omits the key. */
  readonly key: { readonly text: string; readonly passphrase: string } | null;
  readonly onProgress?: (progress: BackupProgress) => void;
  readonly signal?: AbortSignal;
}

export interface WrittenBackup extends End {
  readonly sizeBytes: number;
  readonly hasKey: boolean;
}

async function readHeader(
  client: pg.Client,
  options: BackupOptions,
  key: SealedKey | null,
): Promise<Header> {
  const version = await client.query("show server_version");
  const migrations = await client.query("select name, checksum from migrations order by name");
  const known = await client.query("select sealed from sealing_key_check");
  return {
    format: formatVersion,
    program: options.program,
    postgres: String(version.rows[0]?.server_version).split(" ")[0] ?? "",
    startedAt: options.startedAt.toISOString(),
    migrations: migrations.rows,
    sealedText: known.rows[0]?.sealed ?? null,
    key,
  };
}

interface Walk {
  readonly client: pg.Client;
  readonly writer: ArchiveWriter;
  readonly onRows: (rows: number) => void;
  readonly signal: AbortSignal | undefined;
}

/** Counts the line feeds. COPY escapes line feeds in values, so each one ends a row. */
function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count += 1;
  return count;
}

async function writeTable(table: CatalogueTable, walk: Walk): Promise<number> {
  const { client, writer, onRows, signal } = walk;
  const stream = client.query(copyTo(`${copyTarget(table)} to stdout`));
  await writer.beginTable({
    name: table.name,
    columns: table.columns,
    partition: table.partition,
  });
  let rows = 0;
  for await (const chunk of stream) {
    signal?.throwIfAborted();
    rows += countLines(chunk);
    await writer.addRows(chunk);
    onRows(rows);
  }
  if (stream.rowCount !== rows)
    throw new Error(`${table.name} returned an unexpected number of rows`);
  await writer.endTable(rows);
  return rows;
}

/**
 * Locks a table. Returns false if the table is a partition that retention has just dropped. A lock
 * on a partition prevents retention from dropping it, and writers have to wait while retention
 * tries. Each table is therefore locked only when the backup reads it.
 */
async function lockIfThere(client: pg.Client, table: CatalogueTable): Promise<boolean> {
  await client.query("savepoint before_table");
  try {
    await client.query(`lock table ${quoteName(table.name)} in access share mode`);
    return true;
  } catch (error) {
    if (table.partition === null || !isMissingTable(error)) throw error;
    await client.query("rollback to savepoint before_table");
    return false;
  }
}

async function writeTables(
  tables: readonly CatalogueTable[],
  walk: Omit<Walk, "onRows">,
  onProgress: BackupOptions["onProgress"] = () => {},
): Promise<void> {
  const total = tables.reduce((sum, table) => sum + table.sizeBytes, 0);
  let rows = 0;
  let doneBytes = 0;
  for (const table of tables) {
    if (!(await lockIfThere(walk.client, table))) continue;
    const share = total === 0 ? 1 : doneBytes / total;
    const onRows = (more: number) => onProgress({ table: table.name, rows: rows + more, share });
    rows += await writeTable(table, { ...walk, onRows });
    doneBytes += table.sizeBytes;
  }
}

async function writeArchive(
  client: pg.Client,
  options: BackupOptions,
  write: (bytes: Buffer) => Promise<void>,
): Promise<End> {
  const key = options.key === null ? null : await sealKey(options.key.text, options.key.passphrase);
  // All tables are read from one snapshot, so later commits are not included.
  await client.query("begin isolation level repeatable read, read only");
  await client.query("select pg_advisory_xact_lock_shared($1)", [migrationLockKey]);
  const writer = new ArchiveWriter(write);
  await writer.begin(await readHeader(client, options, key));
  const tables = await listTables(client);
  const { onProgress, signal } = options;
  await writeTables(tables, { client, writer, signal }, onProgress);
  const end = await writer.end(await readSequences(client));
  await client.query("commit");
  return end;
}

/**
 * SQLSTATE that PostgreSQL reports if an administrator, or a server that is about to migrate, ends
 * the session.
 */
const endedByAdministrator = "57P01";

function explainBackupError(error: unknown): unknown {
  if (isMissingTable(error)) {
    return new ExplainedError(
      "There is no Vedette database to back up. Start the server first with `npm start`.",
    );
  }
  if (readCode(error) === endedByAdministrator) {
    return new ExplainedError(
      "The database ended the backup because it is stopping or being migrated by a newer version.\n" +
        "Run the same command again when the server has started.",
    );
  }
  return error;
}

/** Writes a backup while servers run. It holds no lock that blocks reading or writing rows. */
export async function writeBackup(options: BackupOptions): Promise<WrittenBackup> {
  const client = await openSession(options.connection, backupSessionName);
  try {
    const file = await createBackupFile(options.path, options.freeShare);
    try {
      const end = await writeArchive(client, options, file.write);
      await file.finish();
      return { ...end, sizeBytes: file.size(), hasKey: options.key !== null };
    } catch (error) {
      await file.discard();
      throw error;
    }
  } catch (error) {
    throw explainBackupError(await explainDamage(error, client));
  } finally {
    // Destroy the socket, because an orderly close would wait for the end of an aborted COPY.
    cutOff(client);
  }
}
