import { DatabaseSync } from "node:sqlite";
import { type HistorySlot, type Outage, UnreadableFile } from "../../reading.ts";
import { ForeignDatabase } from "../foreign-database.ts";
import { Row } from "../row.ts";
import { copyDump, type DumpTables } from "../sql-dump.ts";
import type { KumaData, MonitorHistory } from "./kuma-data.ts";

/**
 * Number of days for which hourly statistics are read. `dailyDays` is the number of days for daily
 * statistics. Vedette does not retain statistics for longer.
 */
const hourlyDays = 100;
const dailyDays = 800;
const daySeconds = 86_400;
const maxSlots = 2_000_000;
const maxChanges = 500_000;

const down = 0;

type Slots = Map<number, HistorySlot[]>;

function addSlot(slots: Slots, row: Row, startMs: number): void {
  const monitorId = row.integer("monitor_id");
  const up = row.integer("up") ?? 0;
  const downCount = row.integer("down") ?? 0;
  if (monitorId === null || up < 0 || downCount < 0 || up + downCount === 0) return;
  const slot: HistorySlot = {
    startMs,
    up,
    down: downCount,
    avgMs: row.number("avg"),
    minMs: row.number("min"),
    maxMs: row.number("max"),
  };
  const list = slots.get(monitorId);
  const last = list?.at(-1);
  if (list === undefined) slots.set(monitorId, [slot]);
  else if (last?.startMs === startMs) list[list.length - 1] = joinSlots(last, slot);
  else list.push(slot);
}

/**
 * Combines two rows of the same UTC hour or day. The times in the database need not be full UTC
 * hours or days, so two rows may belong to the same hour or day.
 */
function joinSlots(one: HistorySlot, other: HistorySlot): HistorySlot {
  const timed = [one, other].filter(({ avgMs, up }) => avgMs !== null && up > 0);
  const runs = timed.reduce((sum, { up }) => sum + up, 0);
  const sumMs = timed.reduce((sum, { avgMs, up }) => sum + (avgMs ?? 0) * up, 0);
  const listTimes = (field: "minMs" | "maxMs") => timed.flatMap((slot) => slot[field] ?? []);
  const [lowest, highest] = [listTimes("minMs"), listTimes("maxMs")];
  return {
    startMs: one.startMs,
    up: one.up + other.up,
    down: one.down + other.down,
    avgMs: runs === 0 ? null : sumMs / runs,
    minMs: lowest.length === 0 ? null : Math.min(...lowest),
    maxMs: highest.length === 0 ? null : Math.max(...highest),
  };
}

interface Unit {
  readonly table: string;
  readonly seconds: number;
  readonly keptDays: number;
}

const units = {
  hours: { table: "stat_hourly", seconds: 3_600, keptDays: hourlyDays },
  days: { table: "stat_daily", seconds: daySeconds, keptDays: dailyDays },
} as const satisfies Record<string, Unit>;

/** Reads the hourly or daily totals that version 2 of Uptime Kuma stores. */
function readTotals(database: ForeignDatabase, { table, seconds, keptDays }: Unit): Slots {
  const columns = database.columnsOf(table);
  const pick = (name: string) => (columns.has(name) ? name : "null");
  const rows = database.query(
    `select monitor_id, cast(timestamp as integer) as at, up, down, ping as avg,
       ${pick("ping_min")} as min, ${pick("ping_max")} as max
     from ${table}
     where visit() and timestamp > (select max(timestamp) from ${table} where visit()) - ?
     order by monitor_id, timestamp limit ${maxSlots}`,
    [keptDays * daySeconds],
  );
  const slots: Slots = new Map();
  for (const row of rows) {
    const at = row.integer("at");
    if (at !== null && at > 0) addSlot(slots, row, Math.floor(at / seconds) * seconds * 1_000);
  }
  return slots;
}

/** Computes totals from single heartbeats, if the database contains no complete totals. */
function sumBeats(database: ForeignDatabase, { seconds, keptDays }: Unit): Slots {
  const rows = database.query(
    `select monitor_id, cast(unixepoch(time) as integer) / ${seconds} as slot,
       sum(status = 1) as up, sum(status in (0, 2)) as down,
       avg(case when status = 1 then ping end) as avg,
       min(case when status = 1 then ping end) as min,
       max(case when status = 1 then ping end) as max
     from heartbeat
     where visit() and unixepoch(time) >
       (select unixepoch(max(time)) from heartbeat where visit()) - ?
     group by 1, 2 order by 1, 2 limit ${maxSlots}`,
    [keptDays * daySeconds],
  );
  const slots: Slots = new Map();
  for (const row of rows) {
    const slot = row.integer("slot");
    if (slot !== null && slot > 0) addSlot(slots, row, slot * seconds * 1_000);
  }
  return slots;
}

/** Parses a UTC time in the format `YYYY-MM-DD HH:MM:SS.mmm`. */
function parseKumaTime(text: string | null): number | null {
  if (text === null || !/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text))
    return null;
  const ms = Date.parse(`${text.replace(" ", "T")}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/**
 * Reads outages from the heartbeats that changed the state, which Uptime Kuma marks as important.
 */
function readOutages(database: ForeignDatabase): Map<number, Outage[]> {
  const rows = database.query(
    `select monitor_id, status, time from heartbeat where visit() and important = 1
     order by monitor_id, time limit ${maxChanges + 1}`,
  );
  if (rows.length > maxChanges) {
    throw new UnreadableFile(`The history has more than ${maxChanges} changes of state.`);
  }
  const outages = new Map<number, Outage[]>();
  for (const row of rows) {
    const monitorId = row.integer("monitor_id");
    const atMs = parseKumaTime(row.text("time"));
    if (monitorId === null || atMs === null) continue;
    const list = outages.get(monitorId) ?? [];
    outages.set(monitorId, list);
    const open = list.at(-1)?.toMs === null ? list.at(-1) : undefined;
    if (row.integer("status") === down) {
      if (open === undefined) list.push({ fromMs: atMs, toMs: null });
    } else if (open !== undefined) {
      list[list.length - 1] = { fromMs: open.fromMs, toMs: atMs };
    }
  }
  return outages;
}

/**
 * Returns whether the migration from version 1 has not been completed. The totals are then
 * incomplete.
 */
function isHalfMigrated(settings: ReadonlyMap<string, unknown>): boolean {
  return settings.get("migrateAggregateTableState") === "migrating";
}

function readKumaHistory(
  database: ForeignDatabase,
  settings: ReadonlyMap<string, unknown>,
): { readonly history: Map<number, MonitorHistory>; readonly notes: readonly string[] } {
  const hasBeats = database.hasTable("heartbeat");
  const hasTotals = database.hasTable("stat_daily") && database.hasTable("stat_hourly");
  const isHalf = hasTotals && isHalfMigrated(settings);
  const read = hasTotals && !isHalf ? readTotals : hasBeats ? sumBeats : null;
  const hours = read?.(database, units.hours) ?? new Map();
  const days = read?.(database, units.days) ?? new Map();
  const outages = hasBeats ? readOutages(database) : new Map<number, Outage[]>();
  const ids = new Set<number>([...hours.keys(), ...days.keys(), ...outages.keys()]);
  const history = new Map(
    [...ids].map((id) => [
      id,
      { hours: hours.get(id) ?? [], days: days.get(id) ?? [], outages: outages.get(id) ?? [] },
    ]),
  );
  const note =
    "The move of this installation from version 1 to 2 was not completed. The history is read from " +
    "the single heartbeats.";
  return { history, notes: isHalf ? [note] : [] };
}

/** Reads the tables of an installation, from `kuma.db` or from a dump of its MariaDB database. */
export function readKumaDatabase(database: ForeignDatabase): KumaData {
  if (!database.hasTable("monitor") || !database.hasTable("heartbeat")) {
    throw new UnreadableFile(
      "This is not a database of Uptime Kuma: it has no tables monitor and heartbeat.",
    );
  }
  const settings = new Map(
    database.rows("setting").flatMap((row): [string, unknown][] => {
      const key = row.text("key");
      const parsed = row.json("value");
      return key === null ? [] : [[key, parsed === undefined ? row.get("value") : parsed]];
    }),
  );
  const tags = new Map(database.rows("tag").map((row) => [row.integer("id"), row.text("name")]));
  const { history, notes } = readKumaHistory(database, settings);
  return {
    monitors: database.rows("monitor"),
    notifications: database.rows("notification"),
    monitorNotifications: database.rows("monitor_notification"),
    monitorTags: database.rows("monitor_tag").map(
      (row) =>
        new Row({
          monitor_id: row.get("monitor_id"),
          name: tags.get(row.integer("tag_id")),
          value: row.get("value"),
        }),
    ),
    proxies: database.rows("proxy"),
    statusPages: database.rows("status_page"),
    statusPageDomains: database.rows("status_page_cname"),
    groups: database.rows("group"),
    groupMonitors: database.rows("monitor_group"),
    incidents: database.rows("incident"),
    maintenances: database.rows("maintenance"),
    maintenanceMonitors: database.rows("monitor_maintenance"),
    settings,
    history,
    notes,
  };
}

const totals = ["monitor_id", "timestamp", "ping", "ping_min", "ping_max", "up", "down"];

/** Tables that the reader needs, and the necessary columns of the large history tables. */
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
  // SQLite stores a database without a name in a temporary file and deletes the file afterwards.
  const db = new DatabaseSync("");
  // The database is discarded after an error, so a journal would only cost time.
  db.exec("pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive");
  try {
    await copyDump(file, db, tables);
    return readKumaDatabase(new ForeignDatabase(db));
  } finally {
    db.close();
  }
}
