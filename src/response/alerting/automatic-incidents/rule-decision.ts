import type { AutomationRule, Impact } from "../../../sites/status-pages/index.ts";
import type { Severity } from "../../incidents/index.ts";

/**
 * Pure decisions about the automation rules of status pages. A rule opens and resolves an incident
 * for the checks that have one of its tags.
 */

/** A check with an open alert. */
export interface AlertedCheck {
  readonly id: string;
  /** Tags of the check and of its check group. */
  readonly tags: readonly string[];
  /** Whether the last alert reported a failure, as opposed to degradation or missing data. */
  readonly isFailing: boolean;
}

export type RuleDecision =
  | { readonly kind: "open"; readonly failingCheckIds: readonly string[] }
  /** The cool-down after the last incident of the rule has not ended yet. */
  | { readonly kind: "wait"; readonly untilMs: number }
  | { readonly kind: "resolve" }
  /** No incident is opened or resolved. The list of failing checks is stored if it changed. */
  | { readonly kind: "leave"; readonly failingCheckIds: readonly string[] };

type RuleState = Pick<
  AutomationRule,
  "isEnabled" | "tags" | "coolDownMinutes" | "failingCheckIds" | "incidentEndedAt"
>;

/**
 * Decides what an automation rule does. A failing check opens the incident. The incident is
 * resolved when the alerts of all checks that failed are over. A check that becomes degraded or has
 * no data keeps the incident open.
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

/** CRITICAL and MAJOR show a service as down, MINOR as degraded. */
export const severityOfImpact: Readonly<Record<Impact, Severity>> = {
  MAJOR_OUTAGE: "CRITICAL",
  PARTIAL_OUTAGE: "MAJOR",
  DEGRADED_PERFORMANCE: "MINOR",
  UNDER_MAINTENANCE: "MINOR",
};
