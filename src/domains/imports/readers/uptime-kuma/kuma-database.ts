import { UnreadableFile } from "../../reading.ts";
import type { ForeignDatabase } from "../foreign-database.ts";
import { Row } from "../row.ts";
import type { KumaData } from "./kuma-data.ts";
import { readKumaHistory } from "./kuma-history.ts";

/** Reads the tables of an installation: of `kuma.db`, or of a dump of its MariaDB database. */
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
