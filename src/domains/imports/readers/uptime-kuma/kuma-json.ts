import { UnreadableFile } from "../../reading.ts";
import { Row } from "../row.ts";
import type { KumaData } from "./kuma-data.ts";

/** `parentId` becomes `parent_id`; names that are already in snake case stay. */
const toSnakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Converts the names of a record only: nested records, such as headers, keep theirs. */
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
export function readKumaJson(text: string): KumaData {
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
