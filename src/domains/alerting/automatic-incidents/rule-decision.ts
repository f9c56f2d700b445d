import type { Severity } from "../../incidents/index.ts";
import type { AutomationRule, Impact } from "../../status-pages/index.ts";

/** Pure: what an automation rule of a status page does about the checks with its tags. */

/** A check with an open alert. */
export interface AlertedCheck {
  readonly id: string;
  /** Its own tags and those of its group. */
  readonly tags: readonly string[];
  /** Whether its last alert reported a failure; others are degraded or without data. */
  readonly isFailing: boolean;
}

export type RuleDecision =
  | { readonly kind: "open"; readonly failingCheckIds: readonly string[] }
  /** The cool-down after the last incident has not passed. */
  | { readonly kind: "wait"; readonly untilMs: number }
  | { readonly kind: "resolve" }
  /** Nothing to do, except to store the checks if they changed. */
  | { readonly kind: "leave"; readonly failingCheckIds: readonly string[] };

type RuleState = Pick<
  AutomationRule,
  "isEnabled" | "tags" | "coolDownMinutes" | "failingCheckIds" | "incidentEndedAt"
>;

/**
 * A failing check opens the incident. It holds it open until its alert is over, also while it is
 * degraded or without data.
 */
export function decideRule(
  rule: RuleState,
  alerted: readonly AlertedCheck[],
  nowMs: number,
): RuleDecision {
  const matching = alerted.filter(({ tags }) => tags.some((tag) => rule.tags.includes(tag)));
  const failing = matching
    .filter(({ id, isFailing }) => isFailing || rule.failingCheckIds.includes(id))
    .map(({ id }) => id)
    .sort();
  const isOngoing = rule.failingCheckIds.length > 0;
  if (isOngoing) {
    return failing.length === 0 ? { kind: "resolve" } : { kind: "leave", failingCheckIds: failing };
  }
  if (failing.length === 0 || !rule.isEnabled) return { kind: "leave", failingCheckIds: [] };
  const endedMs = rule.incidentEndedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  const untilMs = endedMs + rule.coolDownMinutes * 60_000;
  if (nowMs < untilMs) return { kind: "wait", untilMs };
  return { kind: "open", failingCheckIds: failing };
}

/** CRITICAL and MAJOR count as down, MINOR as degraded. */
export const severityOfImpact: Readonly<Record<Impact, Severity>> = {
  MAJOR_OUTAGE: "CRITICAL",
  PARTIAL_OUTAGE: "MAJOR",
  DEGRADED_PERFORMANCE: "MINOR",
  UNDER_MAINTENANCE: "MINOR",
};
