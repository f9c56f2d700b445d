import type { ResultRow } from "../result-store.ts";
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

/** Over when every place has given its final result; the worst of them names the whole. */
export function decideSessionStatus(
  locations: readonly string[],
  results: readonly SessionResult[],
  isExpired: boolean,
): SessionStatus {
  const finals = results.filter((result) => result.is_final);
  const isOver = locations.every((location) =>
    finals.some((result) => result.location === location),
  );
  // A retry may have moved elsewhere: then the final result of the run is what counts.
  const isRunOver = locations.length === 1 && finals.length > 0;
  if (isOver || isRunOver) {
    const worst = Math.max(...finals.map((result) => result.verdict));
    return names[worst] ?? "TIMED_OUT";
  }
  if (isExpired) return "TIMED_OUT";
  return results.length === 0 ? "STARTED" : "PROGRESS";
}

/** (a and b) or c: a check matches when all tags of one of the lists are its own. */
export function matchesTags(
  tags: readonly string[],
  lists: readonly (readonly string[])[],
): boolean {
  return lists.some((list) => list.every((tag) => tags.includes(tag)));
}
