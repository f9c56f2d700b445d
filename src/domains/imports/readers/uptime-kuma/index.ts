import { type ImportFile, type Reading, UnreadableFile } from "../../reading.ts";
import { ReadingBuilder, type ReadOptions } from "../../reading-builder.ts";
import { requireOneFile } from "../file-text.ts";
import { ForeignDatabase } from "../foreign-database.ts";
import { recogniseDump } from "../sql-dump.ts";
import { isSqlite, isWriteAheadLogged } from "../sqlite-file.ts";
import { readTextFile } from "../yaml.ts";
import { addNotifications } from "./kuma-channels.ts";
import type { KumaData } from "./kuma-data.ts";
import { readKumaDatabase } from "./kuma-database.ts";
import { readKumaDump } from "./kuma-dump.ts";
import { readKumaJson } from "./kuma-json.ts";
import { addMaintenances } from "./kuma-maintenance.ts";
import { addMonitors } from "./kuma-monitors.ts";
import { addStatusPages } from "./kuma-pages.ts";

function readDatabase(path: string): KumaData {
  const database = ForeignDatabase.open(path);
  try {
    return readKumaDatabase(database);
  } finally {
    database.close();
  }
}

async function readFile(file: ImportFile): Promise<KumaData> {
  const { path } = file;
  if (!isSqlite(path)) {
    const dump = recogniseDump(path);
    if (dump !== null) return readKumaDump({ path, ...dump });
    const text = readTextFile(file);
    if (text.trimStart().startsWith("{")) return readKumaJson(text);
    throw new UnreadableFile(
      "The file is neither a SQLite database (kuma.db), nor a dump of MariaDB, nor a JSON backup of " +
        "Uptime Kuma.",
    );
  }
  const data = readDatabase(path);
  if (!isWriteAheadLogged(path)) return data;
  const note =
    "Recent changes may be in the file kuma.db-wal, which is not part of the upload. Stop Uptime " +
    "Kuma before you copy kuma.db to include them.";
  return { ...data, notes: [...data.notes, note] };
}

/** Reads Uptime Kuma: a database of version 1 or 2, a dump of it, or a JSON backup of version 1. */
export async function readUptimeKuma(
  files: readonly ImportFile[],
  options: ReadOptions,
): Promise<Reading> {
  const data = await readFile(requireOneFile(files));
  const builder = new ReadingBuilder(options);
  addMonitors(builder, data);
  addNotifications(builder, data);
  addStatusPages(builder, data);
  addMaintenances(builder, data);
  for (const note of data.notes) builder.note(note);
  return builder.finish();
}
