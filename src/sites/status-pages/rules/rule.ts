import { tagContent } from "../../../platform/http/send.ts";

export const impacts = [
  "UNDER_MAINTENANCE",
  "DEGRADED_PERFORMANCE",
  "PARTIAL_OUTAGE",
  "MAJOR_OUTAGE",
] as const;
/** Effect of a failing check on a component. */
export type Impact = (typeof impacts)[number];

export const maxRulesPerPage = 50;
export const maxRuleTags = 20;
export const maxRuleComponents = 50;
export const maxCoolDownMinutes = 1_440;
export const maxUpdateLength = 20_000;

export interface RuleComponent {
  readonly id: string;
  /** Id of a service component, or of a group to select all its services. */
  readonly componentId: string;
  readonly impact: Impact;
}

export interface RuleInput {
  readonly name: string;
  readonly isEnabled: boolean;
  /** Text of the update that opens the incident. */
  readonly firstUpdate: string;
  /** Text of the update that resolves the incident. */
  readonly lastUpdate: string;
  readonly notifySubscribers: boolean;
  /** Minimum time in minutes between the end of the rule's incident and its next incident. */
  readonly coolDownMinutes: number;
  /** Tags that select checks. A check is selected if it or its group has one of the tags. */
  readonly tags: readonly string[];
  readonly components: readonly Omit<RuleComponent, "id">[];
}

/** A rule that opens an incident on a page while a check with one of the rule's tags fails. */
export interface AutomationRule extends Omit<RuleInput, "components"> {
  readonly id: string;
  readonly accountId: string;
  readonly statusPageId: string;
  readonly components: readonly RuleComponent[];
  /** Open incident of the rule; `null` if there is none. */
  readonly incidentId: string | null;
  /** Failing checks that the rule has already processed and that have not recovered. */
  readonly failingCheckIds: readonly string[];
  /** Time when the checks of the rule's last incident recovered. */
  readonly incidentEndedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Returns the ETag of a rule. The ETag changes with every field that a request can set. */
export function tagRule(rule: AutomationRule): string {
  const { name, isEnabled, firstUpdate, lastUpdate, notifySubscribers, coolDownMinutes } = rule;
  const components = rule.components.map(({ componentId, impact }) => [componentId, impact]);
  const texts = [name, firstUpdate, lastUpdate];
  return tagContent([texts, isEnabled, notifySubscribers, coolDownMinutes, rule.tags, components]);
}
