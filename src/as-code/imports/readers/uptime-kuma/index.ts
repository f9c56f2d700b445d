import { createHash } from "node:crypto";
import { type ImportFile, type Reading, UnreadableFile } from "../../reading.ts";
import { ReadingBuilder, type ReadOptions } from "../../reading-builder.ts";
import { readTextFile, requireOneFile } from "../file-text.ts";
import { ForeignDatabase, isSqlite, isWriteAheadLogged } from "../foreign-database.ts";
import { Row } from "../row.ts";
import { recogniseDump } from "../sql-dump.ts";
import { addNotifications } from "./kuma-channels.ts";
import type { KumaData } from "./kuma-data.ts";
import { readKumaDatabase, readKumaDump } from "./kuma-database.ts";
import { addMaintenances } from "./kuma-maintenance.ts";
import { addMonitors } from "./kuma-monitors.ts";
import { addStatusPages } from "./kuma-pages.ts";

/** Converts camelCase, such as `parentId`, to snake_case. A name in snake_case stays the same. */
const toSnakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Converts the keys of a record, but not those of nested records, to snake case. */
function toRow(value: unknown): Row {
  const row = new Row(value);
  return new Row(Object.fromEntries(row.keys().map((key) => [toSnakeCase(key), row.get(key)])));
}

function toMonitorRow(value: unknown): Row {
  const row = toRow(value);
  const codes = row.get("accepted_statuscodes");
  const renamed = {
    ...Object.fromEntries(row.keys().map((key) => [key, row.get(key)])),
    ...(codes !== undefined && { accepted_statuscodes_json: codes }),
  };
  return new Row(renamed);
}

/** Reads the JSON backup of version 1. */
function readKumaJson(text: string): KumaData {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new UnreadableFile(`The file is not valid JSON: ${(error as Error).message}.`);
  }
  const backup = new Row(parsed);
  if (!Array.isArray(backup.get("monitorList"))) {
    throw new UnreadableFile("The file is not an Uptime Kuma backup: it has no monitorList.");
  }
  const sources = backup.list("monitorList").map((value) => new Row(value));
  const monitors = backup.list("monitorList").map(toMonitorRow);
  const withId = sources.map((source) => ({ source, id: source.integer("id") }));
  return {
    monitors,
    notifications: backup.list("notificationList").map(toRow),
    monitorNotifications: withId.flatMap(({ source, id }) => {
      const listed = source.row("notificationIDList");
      return listed
        .keys()
        .filter((key) => listed.flag(key))
        .map((key) => new Row({ monitor_id: id, notification_id: Number(key) }));
    }),
    monitorTags: withId.flatMap(({ source, id }) =>
      source.list("tags").map((tag) => {
        const row = new Row(tag);
        return new Row({ monitor_id: id, name: row.get("name"), value: row.get("value") });
      }),
    ),
    proxies: backup.list("proxyList").map(toRow),
    statusPages: [],
    statusPageDomains: [],
    groups: [],
    groupMonitors: [],
    incidents: [],
    maintenances: [],
    maintenanceMonitors: [],
    settings: new Map(),
    history: new Map(),
    notes: [
      "A JSON backup contains no history, status pages or maintenance windows. Import the database " +
        "(kuma.db) to bring them along.",
    ],
  };
}

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

/** Reads an export of Uptime Kuma: a database, a dump of one, or a JSON backup of version 1. */
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
  return { ...builder.finish(), ...findInstallation(data) };
}

/**
 * Identifies the installation by its JWT secret, which Uptime Kuma generates at its first start.
 */
function findInstallation({ settings }: KumaData): Pick<Reading, "installation"> {
  const secret = settings.get("jwtSecret");
  if (typeof secret !== "string" || secret === "") return {};
  const id = createHash("sha256").update(`installation ${secret}`).digest("hex").slice(0, 32);
  const url = settings.get("primaryBaseURL");
  const host = typeof url === "string" ? URL.parse(url)?.host : undefined;
  return { installation: { id, label: host ?? `Uptime Kuma ${id.slice(0, 6)}` } };
}
