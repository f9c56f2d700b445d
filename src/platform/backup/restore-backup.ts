import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { cutOff, type DatabaseConnection } from "../database-pool.ts";
import { ExplainedError } from "../errors.ts";
import {
  type Migration,
  migrationLockKey,
  migrationsFolder,
  migrationsTable,
  readMigrations,
  rejectUnknownMigrations,
} from "../migrations.ts";
import type { ArchivePart } from "./archive.ts";
import {
  type BackupSummary,
  checkBackupFile,
  type ReadProgress,
  readBackupFile,
} from "./backup-file.ts";
import { copyTarget } from "./catalogue.ts";
import { damaged, type Header, type Sequences, type TableStart } from "./format.ts";
import { clearSchema, loosenSchema, tightenSchema } from "./schema-changes.ts";
import { openSession, quoteName } from "./session.ts";

export interface RestoreOptions {
  readonly connection: DatabaseConnection;
  readonly path: string;
  /** Whether to replace existing data; otherwise the database must be empty. */
  readonly shouldOverwrite: boolean;
  readonly onProgress?: (step: "check" | "load", progress: ReadProgress) => void;
  readonly onStep?: (sentence: string) => void;
  readonly folder?: string;
  /** Summary of a file that has already been verified. */
  readonly summary?: BackupSummary;
}

/** Returns the migrations of the backup's database, all of which this program must know. */
async function findMigrationsOf(header: Header, folder: string): Promise<Migration[]> {
  const known = await readMigrations(folder);
  rejectUnknownMigrations(header.migrations, known);
  const names = new Set(header.migrations.map(({ name }) => name));
  return known.filter(({ name }) => names.has(name));
}

async function createSchema(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  await client.query(migrationsTable);
  for (const { sql } of migrations) await client.query(sql);
}

async function createPartition(client: pg.Client, { name, partition }: TableStart): Promise<void> {
  if (partition === null) return;
  const parent = quoteName(partition.parent);
  const { rows } = await client.query("select to_regclass(quote_ident($1)) is null as missing", [
    name,
  ]);
  if (rows[0]?.missing !== true) return;
  await client.query(`create table ${quoteName(name)} partition of ${parent} ${partition.bound}`);
}

type Parts = AsyncGenerator<ArchivePart>;

async function* takeRows(parts: Parts, onEnd: (rows: number) => void): AsyncGenerator<Buffer> {
  for (;;) {
    const { value: part, done } = await parts.next();
    if (done === true) throw damaged("a table has no end record");
    if (part.kind === "rows") yield part.rows;
    if (part.kind !== "table-end") continue;
    onEnd(part.end.rows);
    return;
  }
}

async function loadTable(client: pg.Client, start: TableStart, parts: Parts): Promise<void> {
  await createPartition(client, start);
  let expected = 0;
  // This transaction created or truncated the table, so COPY can freeze its rows.
  const target = client.query(copyFrom(`${copyTarget(start)} from stdin with (freeze)`));
  const rows = takeRows(parts, (count) => {
    expected = count;
  });
  await pipeline(Readable.from(rows, { objectMode: false }), target);
  if (target.rowCount !== expected) {
    throw new Error(`${start.name} took ${target.rowCount} rows instead of ${expected}`);
  }
}

async function setSequences(client: pg.Client, sequences: Sequences): Promise<void> {
  for (const { name, lastValue, isCalled } of sequences) {
    await client.query("select setval(quote_ident($1)::regclass, $2::bigint, $3)", [
      name,
      lastValue,
      isCalled,
    ]);
  }
}

async function loadAll(client: pg.Client, parts: Parts): Promise<void> {
  // Not `for await`, because the rows of a table are read from the same iterator.
  for (;;) {
    const { value: part, done } = await parts.next();
    if (done === true) return;
    if (part.kind === "table") await loadTable(client, part.start, parts);
    if (part.kind === "sequences") await setSequences(client, part.sequences);
  }
}

async function refuseOthers(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select count(*)::int as others from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name like 'vedette%'`,
  );
  if (rows[0]?.others === 0) return;
  throw new ExplainedError(
    "A Vedette server is using this database.\nStop all its servers first, then restore.",
  );
}

async function restoreInTransaction(
  client: pg.Client,
  options: RestoreOptions,
  migrations: readonly Migration[],
): Promise<void> {
  const { onProgress, onStep = () => {} } = options;
  await client.query("begin");
  await client.query("set local maintenance_work_mem = '128MB'");
  await client.query("select pg_advisory_xact_lock($1)", [migrationLockKey]);
  await refuseOthers(client);
  await clearSchema(client, options.shouldOverwrite);
  await createSchema(client, migrations);
  const loosened = await loosenSchema(client);
  await loadAll(
    client,
    readBackupFile(options.path, (progress) => onProgress?.("load", progress)),
  );
  onStep("The references between tables are checked");
  await tightenSchema(client, loosened);
  await client.query("commit");
}

/** Verifies everything that can be verified without a database. */
export async function checkRestorable(
  path: string,
  folder: string = migrationsFolder,
  onProgress?: (progress: ReadProgress) => void,
): Promise<BackupSummary> {
  const summary = await checkBackupFile(path, onProgress);
  await findMigrationsOf(summary.header, folder);
  return summary;
}

/**
 * Restores atomically: one transaction creates the schema of the backup, loads all tables and
 * checks the references, so that an interrupted restore leaves the database unchanged. The file is
 * read to its end before anything is changed.
 */
export async function restoreBackup(options: RestoreOptions): Promise<BackupSummary> {
  const { path, onProgress, onStep = () => {}, folder = migrationsFolder } = options;
  const onCheck = (progress: ReadProgress) => onProgress?.("check", progress);
  const summary = options.summary ?? (await checkRestorable(path, folder, onCheck));
  const migrations = await findMigrationsOf(summary.header, folder);
  const client = await openSession(options.connection, "vedette restore");
  try {
    await restoreInTransaction(client, options, migrations);
    onStep("The planner's statistics are collected");
    await client.query("analyze");
    return summary;
  } finally {
    cutOff(client);
  }
}
