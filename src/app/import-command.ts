import { openAsBlob } from "node:fs";
import { copyFile, mkdtemp, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type ImportFile,
  type ImportReport,
  type ImportSource,
  importSources,
  maxFileBytes,
  readInThread,
  sources,
  UnreadableFile,
} from "../as-code/imports/index.ts";
import { ExplainedError, readCode } from "../platform/errors.ts";
import {
  callServer,
  explainAnswer,
  type ServerTarget,
  toJsonUpload,
  type Upload,
} from "./server-call.ts";

/** `vedette import`: reads files of another monitor, prints a report and imports the files. */

const maxFiles = 500;
const textNames =
  /\.(?:ya?ml|json|conf|cfg|txt|csv)$|^(?:config|Targets|Probes|Alerts|Database|Slaves)$/;

export function parseSource(name: string): ImportSource {
  const found = importSources.find((source) => source === name);
  if (found !== undefined) return found;
  const known = importSources.map((source) => `  ${source.padEnd(14)}${sources[source].files}`);
  throw new ExplainedError(`Unknown source "${name}". Sources:\n${known.join("\n")}`);
}

async function readStat(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    throw new ExplainedError(`Cannot read ${path}: ${readCode(error)}.`);
  }
}

/** Lists the files of a folder to import: only kuma.db if it exists, otherwise all text files. */
async function listFolder(folder: string): Promise<ImportFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const database = paths.find((path) => basename(path) === "kuma.db");
  if (database !== undefined) return [{ name: "kuma.db", path: database }];
  const files = paths
    .filter((path) => textNames.test(basename(path)))
    .map((path) => ({ name: relative(folder, path), path }));
  if (files.length > maxFiles) {
    throw new ExplainedError(`${folder} contains more than ${maxFiles} files.`);
  }
  return files;
}

async function listFiles(paths: readonly string[]): Promise<ImportFile[]> {
  const files: ImportFile[] = [];
  for (const path of paths) {
    const { isFolder } = { isFolder: (await readStat(path)).isDirectory() };
    if (isFolder) files.push(...(await listFolder(path)));
    else files.push({ name: basename(path), path });
  }
  if (files.length === 0) throw new ExplainedError("There are no files to import.");
  return files;
}

const sqliteHead = "SQLite format 3\0";

async function isSqlite(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(sqliteHead.length), 0, sqliteHead.length, 0);
    return buffer.toString("latin1") === sqliteHead;
  } finally {
    await file.close();
  }
}

/**
 * Removes rows that an import does not read: totals per minute and, if the database stores daily
 * totals, heartbeats that did not change a state.
 */
function shrink(db: DatabaseSync): void {
  const tables = db.prepare("select name from sqlite_schema where type = 'table'").all();
  const has = (name: string) => tables.some((table) => table.name === name);
  if (has("stat_minutely")) db.exec("drop table stat_minutely");
  if (!has("stat_daily") || !has("heartbeat")) return;
  const moving = db.prepare("select 1 from setting where key = ? and value like '%migrating%'");
  if (has("setting") && moving.get("migrateAggregateTableState") !== undefined) return;
  db.exec("delete from heartbeat where important = 0");
}

/**
 * Prepares a file for the upload. A SQLite database is copied if it has a write-ahead log or
 * exceeds the maximum upload size. The log is merged into the copy, and a copy that is too large is
 * shrunk. All other files are uploaded unchanged.
 */
async function prepareFile(
  file: ImportFile,
  folder: string,
  maxBytes: number,
): Promise<ImportFile> {
  const log = await stat(`${file.path}-wal`).catch(() => null);
  const hasLog = log !== null && log.size > 0;
  const isLarge = (await stat(file.path)).size > maxBytes && (await isSqlite(file.path));
  if (!hasLog && !isLarge) return file;
  const copy = join(folder, "merged.db");
  await copyFile(file.path, copy);
  if (hasLog) await copyFile(`${file.path}-wal`, `${copy}-wal`);
  const db = new DatabaseSync(copy);
  try {
    db.exec("pragma wal_checkpoint(truncate); pragma journal_mode = delete");
    if (isLarge) {
      shrink(db);
      db.exec("vacuum");
    }
  } catch (error) {
    throw new ExplainedError(`Cannot read ${file.name}: ${(error as Error).message}.`);
  } finally {
    db.close();
  }
  return { ...file, path: copy };
}

/** Lists and prepares the files, runs the work with them, and deletes the temporary copies. */
export async function withImportFiles<Value>(
  paths: readonly string[],
  work: (files: readonly ImportFile[]) => Promise<Value>,
  maxBytes = maxFileBytes,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), "vedette-import-"));
  try {
    const files = await listFiles(paths);
    return await work(await Promise.all(files.map((file) => prepareFile(file, folder, maxBytes))));
  } catch (error) {
    throw error instanceof UnreadableFile ? new ExplainedError(error.message) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function writeSection(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title} (${lines.length})`, ...lines];
}

export function writeReport(source: ImportSource, report: ImportReport, name = ""): string {
  const { imported, changed, leftOut, notes } = report;
  const widest = Math.max(0, ...imported.map(({ origin }) => origin.length));
  const pad = (text: string) => text.padEnd(Math.min(widest, 40));
  return [
    `${sources[source].label}${name === "" ? "" : ` (${name})`}: ${imported.length} to import, ${changed.length} changed settings, ` +
      `${leftOut.length} left out.`,
    ...writeSection(
      "Imported",
      imported.map(({ origin, name, as }) => `  ${pad(origin)}  ${name} (${as})`),
    ),
    ...writeSection(
      "Changed",
      changed.map(
        ({ origin, name, field, from, to, why }) =>
          `  ${pad(origin)}  ${name}, ${field}: ${from} → ${to}. ${why}`,
      ),
    ),
    ...writeSection(
      "Left out",
      leftOut.map(({ origin, name, why }) => `  ${pad(origin)}  ${name}: ${why}`),
    ),
    ...writeSection(
      "Notes",
      notes.map((note) => `  ${note}`),
    ),
  ].join("\n");
}

/** Reads the files on this machine, without a server, and returns the report of an import. */
export function reportImport(source: ImportSource, paths: readonly string[]) {
  return withImportFiles(paths, async (files) => {
    const { report } = await readInThread({ source, files, options: { allowPrivate: true } });
    return report;
  });
}

interface RunAnswer {
  readonly id: string;
  readonly name: string;
  readonly report: ImportReport;
  readonly outcome: Readonly<Record<string, unknown>> & { readonly notes: readonly string[] };
}

async function call(target: ServerTarget, path: string, upload: Upload): Promise<RunAnswer> {
  const answer = await callServer(target, path, upload);
  if (answer.status >= 300) throw explainAnswer(answer);
  return answer.body as RunAnswer;
}

/** Packs files for an upload: a single file unchanged, several files as JSON. */
async function packFiles(files: readonly ImportFile[]): Promise<Upload> {
  const [first, ...others] = files;
  if (first !== undefined && others.length === 0) {
    return { type: "application/octet-stream", body: await openAsBlob(first.path) };
  }
  const contents = files.map(async ({ name, path }) => ({
    name,
    content: await readFile(path, "utf8"),
  }));
  return toJsonUpload({ files: await Promise.all(contents) });
}

/** Uploads files for a preview: the server reads the files but does not create anything yet. */
export function uploadImport(
  target: ServerTarget,
  source: ImportSource,
  paths: readonly string[],
  name: string | null,
): Promise<RunAnswer> {
  return withImportFiles(paths, async (files) => {
    const fileName = files.length === 1 ? (files[0]?.name ?? "") : "files";
    const query = new URLSearchParams({ source, fileName, ...(name !== null && { name }) });
    return call(target, `v1/imports/preview?${query}`, await packFiles(files));
  });
}

export interface RunChoices {
  readonly muted: boolean;
  readonly keepAddresses: boolean;
  readonly withHistory: boolean;
}

export async function runUploaded(
  target: ServerTarget,
  id: string,
  choices: RunChoices,
): Promise<string> {
  const { outcome } = await call(target, `v1/imports/${id}/run`, toJsonUpload(choices));
  const { created, updated, unchanged, addresses, histories, notes } = outcome;
  const done =
    `Imported: ${created} created, ${updated} changed, ${unchanged} unchanged, ` +
    `${addresses} old push addresses kept, history of ${histories} checks.`;
  return [done, ...notes.map((note) => `  ${note}`)].join("\n");
}
