/**
 * States of checks and services, for status pages, dashboards, badges, feeds, summaries and the
 * API. Each state has a name in the API and a text for people.
 */

/** All states, from best to worst. "unknown" is worse than "passing", but is not an outage. */
const states = ["passing", "unknown", "degraded", "failing"] as const;
export type State = (typeof states)[number];

/** Returns the worst of the given states; `null` if there are none. */
export function findWorst(parts: readonly State[]): State | null {
  return states.findLast((state) => parts.includes(state)) ?? null;
}

export const checkWords: Readonly<Record<State, string>> = {
  passing: "Passing",
  unknown: "No data",
  degraded: "Degraded",
  failing: "Failing",
};

/**
 * Texts for the state of a service. They differ from the texts for checks: visitors want to know
 * whether a service works, not whether a check passes.
 */
export const serviceWords: Readonly<Record<State, string>> = {
  passing: "Operational",
  unknown: "No data",
  degraded: "Degraded",
  failing: "Outage",
};

/** Names of service states in summaries and in the API. */
export const serviceNames = {
  passing: "operational",
  unknown: "no-data",
  degraded: "degraded",
  failing: "outage",
} as const satisfies Readonly<Record<State, string>>;

/** Text that is shown instead of an uptime percentage if there is too little data. */
export const notEnoughData = "not enough data yet";

/** Colour of a badge for each state. */
export const stateTones = {
  passing: "good",
  unknown: "unknown",
  degraded: "fair",
  failing: "bad",
} as const satisfies Readonly<Record<State, string>>;
