/**
 * The one grammar of states, for status pages, dashboards, badges, feeds, summaries and the API. A
 * check or a service is in one of four; each has a name at the wire and words for people.
 */

/** From best to worst. Silence is worse than a pass, and no outage. */
export const states = ["passing", "unknown", "degraded", "failing"] as const;
export type State = (typeof states)[number];

/** What something is in that has several parts; nothing has no state. */
export function findWorst(parts: readonly State[]): State | null {
  return states.findLast((state) => parts.includes(state)) ?? null;
}

export const checkWords: Readonly<Record<State, string>> = {
  passing: "Passing",
  unknown: "No data",
  degraded: "Degraded",
  failing: "Failing",
};

/** Readers of a status page ask whether a service works, not whether a check passes. */
export const serviceWords: Readonly<Record<State, string>> = {
  passing: "Operational",
  unknown: "No data",
  degraded: "Degraded",
  failing: "Outage",
};

/** A service's state in summaries and in the API. */
export const serviceNames = {
  passing: "operational",
  unknown: "no-data",
  degraded: "degraded",
  failing: "outage",
} as const satisfies Readonly<Record<State, string>>;

/** In place of a share of time that is too short to be one. */
export const notEnoughData = "not enough data yet";

/** How the badge of a state is coloured. */
export const stateTones = {
  passing: "good",
  unknown: "unknown",
  degraded: "fair",
  failing: "bad",
} as const satisfies Readonly<Record<State, string>>;
