import type { ResultRow } from "../../results/index.ts";
import type { CheckSession } from "./store.ts";

export const sessionStatuses = [
  "STARTED",
  "PROGRESS",
  "PASSED",
  "DEGRADED",
  "FAILED",
  "TIMED_OUT",
] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export interface SessionReport {
  readonly session: CheckSession;
  readonly name: string;
  readonly checkType: string;
  readonly status: SessionStatus;
  readonly results: readonly ResultRow[];
  readonly elapsedMs: number;
}

interface SessionResult {
  readonly location: string;
  readonly verdict: number;
  readonly is_final: boolean;
}

const names: readonly SessionStatus[] = ["TIMED_OUT", "PASSED", "DEGRADED", "FAILED"];

/** A session ends when every location has a final result; the worst result decides its status. */
export function decideSessionStatus(
  locations: readonly string[],
  results: readonly SessionResult[],
  isExpired: boolean,
): SessionStatus {
  const finals = results.filter((result) => result.is_final);
  const isOver = locations.every((location) =>
    finals.some((result) => result.location === location),
  );
  // A retry may run at another location: then the final result of the run counts.
  const isRunOver = locations.length === 1 && finals.length > 0;
  if (isOver || isRunOver) {
    const worst = Math.max(...finals.map((result) => result.verdict));
    return names[worst] ?? "TIMED_OUT";
  }
  if (isExpired) return "TIMED_OUT";
  return results.length === 0 ? "STARTED" : "PROGRESS";
}

/** Evaluates (a and b) or c: a check matches if it has all tags of one of the lists. */
export function matchesTags(
  tags: readonly string[],
  lists: readonly (readonly string[])[],
): boolean {
  return lists.some((list) => list.every((tag) => tags.includes(tag)));
}
