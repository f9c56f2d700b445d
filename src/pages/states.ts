/**
 * States of checks and services, for status pages, dashboards, badges, feeds, summaries and the
 * API. Each has a name in the API and a text for people.
 */

/** From best to worst. Unknown is worse than passing, but not an outage. */
const states = ["passing", "unknown", "degraded", "failing"] as const;
export type State = (typeof states)[number];

/** Returns the worst state of several parts; `null` without any. */
export function findWorst(parts: readonly State[]): State | null {
  return states.findLast((state) => parts.includes(state)) ?? null;
}

export const checkWords: Readonly<Record<State, string>> = {
  passing: "Passing",
  unknown: "No data",
  degraded: "Degraded",
  failing: "Failing",
};

/** Visitors want to know whether a service works, not whether a check passes. */
export const serviceWords: Readonly<Record<State, string>> = {
  passing: "Operational",
  unknown: "No data",
  degraded: "Degraded",
  failing: "Outage",
};

/** State of a service in summaries and in the API. */
export const serviceNames = {
  passing: "operational",
  unknown: "no-data",
  degraded: "degraded",
  failing: "outage",
} as const satisfies Readonly<Record<State, string>>;

/** Shown instead of a percentage if too little time is known. */
export const notEnoughData = "not enough data yet";

/** Colour of the badge. */
export const stateTones = {
  passing: "good",
  unknown: "unknown",
  degraded: "fair",
  failing: "bad",
} as const satisfies Readonly<Record<State, string>>;
