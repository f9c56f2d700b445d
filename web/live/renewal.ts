/** Which queries a change makes old. Pure: no clock, no network. */
import type { Change } from "../api/change.ts";

/** The rooms whose queries show a thing, by the first word of a change's type. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  check: ["checks", "now", "groups", "runs", "status-pages"],
  "check-group": ["groups", "check-groups", "checks"],
  "check-parents": ["checks"],
  annotation: ["checks"],
  alert: ["alerts", "now", "checks"],
  delivery: ["alerts", "now", "checks"],
  "alert-channel": ["alert-channels", "alerts"],
  "alert-settings": ["alert-settings"],
  incident: ["incidents", "now", "status-pages"],
  "incident-note": ["incidents"],
  "incident-post-mortem": ["incidents"],
  "incident-update": ["incidents", "now", "status-pages"],
  "maintenance-window": ["maintenance", "now", "status-pages"],
  service: ["services", "status-pages"],
  subscription: ["subscriptions", "status-pages"],
  member: ["members", "session"],
  invite: ["members"],
  account: ["session"],
  "api-key": ["api-keys"],
};
/** New results change figures and bars, not what is wrong: Now is renewed by states. */
const roomsOfResults: readonly string[] = ["checks", "runs"];

function listRooms(type: string): readonly string[] {
  if (type === "check.result") return roomsOfResults;
  const [thing = ""] = type.split(".");
  return rooms[thing] ?? [thing, `${thing}s`];
}

/** An annotation is on the charts of many checks, and its id is none of theirs. */
const isAboutMany = (type: string) => type.startsWith("annotation.");

/** What names one thing, where a key would otherwise name a list. */
const isId = (part: unknown) =>
  typeof part === "number" || (typeof part === "string" && /^(?:\d+|[0-9a-f-]{36})$/i.test(part));

/** Room → ids; null: everything in the room. */
export type Renewal = ReadonlyMap<string, ReadonlySet<string> | null>;

export function joinRenewals(before: Renewal, changes: readonly Change[]): Renewal {
  const joined = new Map(before);
  for (const { type, ids } of changes) {
    for (const room of listRooms(type)) {
      const known = joined.get(room);
      if (known === null) continue;
      const isNamed = ids !== null && !isAboutMany(type);
      joined.set(room, isNamed ? new Set([...(known ?? []), ...ids]) : null);
    }
  }
  return joined;
}

/**
 * A query's key begins with its room and then the id of its thing. A list may contain any thing of
 * the room, so that every change renews it.
 */
export function isConcerned(renewal: Renewal, key: readonly unknown[]): boolean {
  const [room, second] = key;
  if (typeof room !== "string" || !renewal.has(room)) return false;
  const ids = renewal.get(room) ?? null;
  return ids === null || !isId(second) || ids.has(String(second));
}

/** Results come all the time: they wait longer than what people must see at once. */
export function isUrgent(changes: readonly Change[]): boolean {
  return changes.some(({ type }) => type !== "check.result");
}

const firstRetryMs = 1_000;
const maxRetryMs = 15_000;

/** Half of it is chance, so that a thousand applications do not come back together. */
export function findRetryMs(failures: number, chance: number): number {
  const fullMs = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.max(0, failures - 1));
  return fullMs / 2 + (fullMs / 2) * chance;
}
