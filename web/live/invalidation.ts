/** Decides which queries a change notification invalidates. */
import type { Change } from "../api/change.ts";

/** Modules whose queries show an object, by the first word of the notification type. */
const modulesByType: Readonly<Record<string, readonly string[]>> = {
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
/** New results change metrics and bars, but not the problems on the Now screen. */
const modulesOfResults: readonly string[] = ["checks", "runs"];

function listModules(type: string): readonly string[] {
  if (type === "check.result") return modulesOfResults;
  const [objectType = ""] = type.split(".");
  return modulesByType[objectType] ?? [objectType, `${objectType}s`];
}

/** An annotation is shown on the charts of many checks, and its id is not a check id. */
const isAboutMany = (type: string) => type.startsWith("annotation.");

/** Whether the second part of a query key is the id of an object, not the name of a list. */
const isId = (part: unknown) =>
  typeof part === "number" || (typeof part === "string" && /^(?:\d+|[0-9a-f-]{36})$/i.test(part));

/** Module → ids, or `null` for everything in the module. */
export type Invalidation = ReadonlyMap<string, ReadonlySet<string> | null>;

export function joinInvalidations(before: Invalidation, changes: readonly Change[]): Invalidation {
  const joined = new Map(before);
  for (const { type, ids } of changes) {
    for (const module of listModules(type)) {
      const known = joined.get(module);
      if (known === null) continue;
      const isNamed = ids !== null && !isAboutMany(type);
      joined.set(module, isNamed ? new Set([...(known ?? []), ...ids]) : null);
    }
  }
  return joined;
}

/**
 * A query key starts with its module and the id of its object. A list may contain any object of the
 * module, so every change invalidates it.
 */
export function isAffected(invalidation: Invalidation, key: readonly unknown[]): boolean {
  const [module, second] = key;
  if (typeof module !== "string" || !invalidation.has(module)) return false;
  const ids = invalidation.get(module) ?? null;
  return ids === null || !isId(second) || ids.has(String(second));
}

/** New results arrive constantly, so they may wait longer than other changes. */
export function isUrgent(changes: readonly Change[]): boolean {
  return changes.some(({ type }) => type !== "check.result");
}

const firstRetryMs = 1_000;
const maxRetryMs = 15_000;

/** Half of the delay is random, so that a thousand clients do not reconnect at the same time. */
export function findRetryMs(failures: number, chance: number): number {
  const fullMs = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.max(0, failures - 1));
  return fullMs / 2 + (fullMs / 2) * chance;
}
