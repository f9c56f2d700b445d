import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
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
import { damaged, type Header, type Sequences, type TableStart } from "./format.ts";
import { copyTarget, openSession, quoteName, readSequences } from "./session.ts";

const own = `relnamespace = current_schema()::regnamespace
  and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')`;

async function listNames(client: pg.Client, kinds: string, more = ""): Promise<string[]> {
  const { rows } = await client.query(
    `select relname as name from pg_class c where ${own} and relkind = any($1::"char"[]) ${more}
      order by relname`,
    [kinds.split("")],
  );
  return rows.map(({ name }) => name);
}

async function dropFunctions(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`
    select oid::regprocedure::text as signature from pg_proc c
    where pronamespace = current_schema()::regnamespace and prokind in ('f', 'p')
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')`);
  for (const { signature } of rows) {
    await client.query(`drop routine if exists ${signature} cascade`);
  }
}

/**
 * Removes all objects of Vedette from the schema. Throws if the schema contains other tables, or if
 * it contains Vedette's tables and `shouldOverwrite` is false.
 */
async function clearSchema(client: pg.Client, shouldOverwrite: boolean): Promise<void> {
  const tables = await listNames(client, "rp", "and not relispartition");
  if (tables.length === 0) return;
  if (!tables.includes("migrations") || !tables.includes("accounts")) {
    throw new ExplainedError(
      `The database has tables that are not Vedette's (${tables.slice(0, 3).join(", ")}).\n` +
        "Restore into a separate database: name another one in DATABASE_URL.",
    );
  }
  if (!shouldOverwrite) {
    throw new ExplainedError(
      "The database already contains data of Vedette, which a restore would replace.\n" +
        "Name an empty one with DATA_DIR or DATABASE_URL, or add `--overwrite` to replace the data.",
    );
  }
  for (const name of await listNames(client, "vm")) {
    await client.query(`drop view if exists ${quoteName(name)} cascade`);
  }
  await client.query(`drop table ${tables.map(quoteName).join(", ")} cascade`);
  await dropFunctions(client);
}

interface Constraint {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

interface Loosened {
  readonly references: readonly Constraint[];
  readonly triggered: readonly string[];
}

/**
 * Prepares a new schema for loading: drops the foreign keys, disables triggers, and deletes the
 * rows and partitions that migrations have created.
 */
async function loosenSchema(client: pg.Client): Promise<Loosened> {
  const { rows: references } = await client.query<Constraint>(`
    select t.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class t on t.oid = k.conrelid
    where k.contype = 'f' and k.conparentid = 0
      and t.relnamespace = current_schema()::regnamespace
    order by t.relname, k.conname`);
  for (const { table, name } of references) {
    await client.query(`alter table ${quoteName(table)} drop constraint ${quoteName(name)}`);
  }
  for (const name of await listNames(client, "r", "and relispartition")) {
    await client.query(`drop table ${quoteName(name)}`);
  }
  const tables = await listNames(client, "rp");
  await client.query(`truncate ${tables.map(quoteName).join(", ")}`);
  const { rows } = await client.query<{ name: string }>(`
    select distinct c.relname as name from pg_trigger g join pg_class c on c.oid = g.tgrelid
    where not g.tgisinternal and g.tgenabled = 'O' and ${own} order by 1`);
  const triggered = rows.map(({ name }) => name);
  for (const name of triggered) {
    await client.query(`alter table ${quoteName(name)} disable trigger user`);
  }
  return { references, triggered };
}

/**
 * Enables the triggers and creates the foreign keys again. PostgreSQL checks all rows against the
 * foreign keys.
 */
async function tightenSchema(client: pg.Client, loosened: Loosened): Promise<void> {
  for (const name of loosened.triggered) {
    await client.query(`alter table ${quoteName(name)} enable trigger user`);
  }
  for (const { table, name, definition } of loosened.references) {
    await client.query(
      `alter table ${quoteName(table)} add constraint ${quoteName(name)} ${definition}`,
    );
  }
}

interface RestoreOptions {
  readonly connection: DatabaseConnection;
  readonly path: string;
  /** Whether to replace existing data. If false, the database must be empty. */
  readonly shouldOverwrite: boolean;
  readonly onProgress?: (step: "check" | "load", progress: ReadProgress) => void;
  readonly onStep?: (sentence: string) => void;
  readonly folder?: string;
  /** Summary from an earlier verification of the file; if absent, the file is verified first. */
  readonly summary?: BackupSummary;
}

/**
 * Returns the migrations that the backup's database had. Throws if this version of Vedette lacks
 * one of them.
 */
async function findMigrationsOf(header: Header, folder: string): Promise<Migration[]> {
  const known = await readMigrations(folder);
  rejectUnknownMigrations(header.migrations, known, "backup");
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
  // COPY may freeze the rows, because this transaction has created or truncated the table.
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
  // `for await` cannot be used here, because `loadTable` reads rows from the iterator too.
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

/** Performs all checks of a backup that need no database. */
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
 * Restores a backup in one transaction, which creates the schema, loads all tables and checks the
 * foreign keys. An interrupted restore therefore leaves the database unchanged. The whole file is
 * verified before the database is changed.
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

async function hashTable(client: pg.Client, start: TableStart) {
  const stream = client.query(copyTo(`${copyTarget(start)} to stdout`));
  const hash = createHash("sha256");
  for await (const chunk of stream) hash.update(chunk);
  return { rows: stream.rowCount, sha256: hash.digest("hex") };
}

function differs(what: string): ExplainedError {
  return new ExplainedError(
    `The backup was restored, but ${what}.\nWrite a new backup, and keep this file to report the fault.`,
  );
}

/** Compares the restored rows of each table, and the sequences, with the file. */
async function compareAll(client: pg.Client, path: string): Promise<void> {
  let start: TableStart | null = null;
  for await (const part of readBackupFile(path)) {
    if (part.kind === "table") start = part.start;
    if (part.kind === "table-end" && start !== null) {
      const found = await hashTable(client, start);
      if (found.rows !== part.end.rows || found.sha256 !== part.end.sha256) {
        throw differs(`the table ${start.name} differs`);
      }
    }
    if (part.kind !== "sequences") continue;
    const found = JSON.stringify(await readSequences(client));
    if (found !== JSON.stringify(part.sequences)) throw differs("its sequences differ");
  }
}

interface VerifyOptions {
  readonly path: string;
  readonly folder?: string;
  readonly onProgress?: (step: "check" | "load", progress: ReadProgress) => void;
}

/**
 * Restores a backup into an empty database and compares every row with the file. Does not clean up.
 */
export async function verifyBackup(
  scratch: DatabaseConnection,
  options: VerifyOptions,
): Promise<BackupSummary> {
  const summary = await restoreBackup({
    ...options,
    connection: scratch,
    shouldOverwrite: false,
  });
  const client = await openSession(scratch, "vedette verify");
  try {
    await compareAll(client, options.path);
    return summary;
  } finally {
    cutOff(client);
  }
}
