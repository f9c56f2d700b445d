/** Decides which queries a change notification invalidates. */
import type { Query } from "@tanstack/react-query";
import type { Change } from "../api/change.ts";

/** Returns whether the second part of a query key is an object id and not a list name. */
const isId = (part: unknown) =>
  typeof part === "number" || (typeof part === "string" && /^(?:\d+|[0-9a-f-]{36})$/i.test(part));

/** Maps event names to ids of changed objects; `null` means all objects of the type. */
export type Invalidation = ReadonlyMap<string, ReadonlySet<string> | null>;

function nameEvent(type: string): string {
  return type === "check.result" ? type : (type.split(".")[0] ?? "");
}

export function joinInvalidations(before: Invalidation, changes: readonly Change[]): Invalidation {
  const joined = new Map(before);
  for (const { type, ids } of changes) {
    const name = nameEvent(type);
    const known = joined.get(name);
    if (known === null) continue;
    // The id of an annotation is not a check id, and an annotation may appear on many charts. All
    // queries are therefore invalidated.
    const isNamed = ids !== null && name !== "annotation";
    joined.set(name, isNamed ? new Set([...(known ?? []), ...ids]) : null);
  }
  return joined;
}

/**
 * Returns whether changes affect a query. `meta.events` of the query lists the events that can
 * change its data. If the second part of the query key is an id, the query shows only the object
 * with this id, so events about other objects do not affect it.
 */
export function isAffected(
  invalidation: Invalidation,
  { queryKey, meta }: Pick<Query, "queryKey" | "meta">,
): boolean {
  const [, second] = queryKey;
  return (meta?.events ?? []).some((name) => {
    if (!invalidation.has(name)) return false;
    const ids = invalidation.get(name) ?? null;
    return ids === null || !isId(second) || ids.has(String(second));
  });
}

/** Returns whether changes must be shown quickly. New results arrive too often for that. */
export function isUrgent(changes: readonly Change[]): boolean {
  return changes.some(({ type }) => type !== "check.result");
}

const firstRetryMs = 1_000;
const maxRetryMs = 15_000;

/**
 * Returns the delay before the next connection attempt. Half of the delay is random, so that a
 * thousand clients do not reconnect at the same time.
 */
export function findRetryMs(failures: number, chance: number): number {
  const fullMs = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.max(0, failures - 1));
  return fullMs / 2 + (fullMs / 2) * chance;
}
