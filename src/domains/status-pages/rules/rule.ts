import { tagContent } from "../../../platform/http/send.ts";

export const impacts = [
  "UNDER_MAINTENANCE",
  "DEGRADED_PERFORMANCE",
  "PARTIAL_OUTAGE",
  "MAJOR_OUTAGE",
] as const;
/** What the failure of a check means for a component. */
export type Impact = (typeof impacts)[number];

export const maxRulesPerPage = 50;
export const maxRuleTags = 20;
export const maxRuleComponents = 50;
export const maxCoolDownMinutes = 1_440;
export const maxUpdateLength = 20_000;

export interface RuleComponent {
  readonly id: string;
  /** A service on the page, or a group for all its services. */
  readonly componentId: string;
  readonly impact: Impact;
}

export interface RuleInput {
  readonly name: string;
  readonly isEnabled: boolean;
  /** Text of the update that opens the incident. */
  readonly firstUpdate: string;
  /** Text of the update that resolves it. */
  readonly lastUpdate: string;
  readonly notifySubscribers: boolean;
  /** Minutes after an incident before the rule may open the next one. */
  readonly coolDownMinutes: number;
  /** A check matches if it or its group has one of these tags. */
  readonly tags: readonly string[];
  readonly components: readonly Omit<RuleComponent, "id">[];
}

/** Opens an incident on a page while a check with one of the tags fails. */
export interface AutomationRule extends Omit<RuleInput, "components"> {
  readonly id: string;
  readonly accountId: string;
  readonly statusPageId: string;
  readonly components: readonly RuleComponent[];
  /** The open incident of the rule. */
  readonly incidentId: string | null;
  /** Checks whose failure the rule has acted on and that have not recovered. */
  readonly failingCheckIds: readonly string[];
  /** When the checks of its last incident recovered. */
  readonly incidentEndedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Returns the ETag of a rule. It changes with every field that a request can set. */
export function tagRule(rule: AutomationRule): string {
  const { name, isEnabled, firstUpdate, lastUpdate, notifySubscribers, coolDownMinutes } = rule;
  const components = rule.components.map(({ componentId, impact }) => [componentId, impact]);
  const texts = [name, firstUpdate, lastUpdate];
  return tagContent([texts, isEnabled, notifySubscribers, coolDownMinutes, rule.tags, components]);
}
