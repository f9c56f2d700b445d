import { DatabaseSync } from "node:sqlite";
import { ForeignDatabase } from "../foreign-database.ts";
import { copyDump, type DumpTables } from "../sql-dump.ts";
import type { KumaData } from "./kuma-data.ts";
import { readKumaDatabase } from "./kuma-database.ts";

const totals = ["monitor_id", "timestamp", "ping", "ping_min", "ping_max", "up", "down"];

/** The tables that the reader needs. Of the history, which is long, only what it uses. */
const tables: DumpTables = new Map([
  ...[
    ...["monitor", "notification", "monitor_notification", "tag", "monitor_tag", "proxy"],
    ...["setting", "status_page", "status_page_cname", "group", "monitor_group", "incident"],
    ...["maintenance", "monitor_maintenance"],
  ].map((name) => [name, null] as const),
  ["heartbeat", ["monitor_id", "status", "important", "time", "ping"]],
  ["stat_hourly", totals],
  ["stat_daily", totals],
]);

/** Reads a dump of the MariaDB database of Uptime Kuma 2. */
export async function readKumaDump(file: {
  readonly path: string;
  readonly isPacked: boolean;
}): Promise<KumaData> {
  // A database without a name is a temporary file, which SQLite removes.
  const db = new DatabaseSync("");
  // It is discarded after an error, so that a journal would only cost time.
  db.exec("pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive");
  try {
    await copyDump(file, db, tables);
    return readKumaDatabase(new ForeignDatabase(db));
  } finally {
    db.close();
  }
}
