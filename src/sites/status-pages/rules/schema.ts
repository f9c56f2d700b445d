import { Type } from "typebox";
import { toDay } from "../../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateOnly,
  Described,
  exampleId,
  Filled,
  Guid,
  Name,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import {
  type AutomationRule,
  impacts,
  maxCoolDownMinutes,
  maxRuleComponents,
  maxRuleTags,
  maxUpdateLength,
  type RuleInput,
} from "./rule.ts";

const descriptions = {
  enabled: "Whether it may open incidents.",
  firstUpdate: "Text of the update that opens the incident, in Markdown.",
  lastUpdate: "Text of the update that resolves the incident, in Markdown.",
  notifySubscribers: "Whether subscribers are notified of both updates.",
  coolDown: "Minutes after an incident before the rule may open the next one; 0 for none.",
  tags: "A failing check matches if it or its group has one of these tags.",
  components: "The components that the incident affects, each with its impact.",
  componentId: "A service component, or a group for all its services.",
  impact:
    "MAJOR_OUTAGE and PARTIAL_OUTAGE count as down; DEGRADED_PERFORMANCE and UNDER_MAINTENANCE as " +
    "degraded.",
} as const;

const CoolDown = Type.Integer({
  minimum: 0,
  maximum: maxCoolDownMinutes,
  description: descriptions.coolDown,
  examples: [5],
});

export const RuleBody = Type.Object(
  {
    name: Described(Name, "Its name, and that of the incident.", "API outage"),
    firstUpdate: Filled({
      maxLength: maxUpdateLength,
      description: descriptions.firstUpdate,
      examples: ["We are investigating."],
    }),
    lastUpdate: Filled({
      maxLength: maxUpdateLength,
      description: descriptions.lastUpdate,
      examples: ["The API works again."],
    }),
    tags: Type.Array(Name, {
      minItems: 1,
      maxItems: maxRuleTags,
      description: descriptions.tags,
      examples: [["api"]],
    }),
    components: Type.Array(
      Type.Object({
        componentId: Described(Guid, descriptions.componentId, exampleId),
        targetImpact: Described(OneOf(impacts), descriptions.impact, "MAJOR_OUTAGE"),
      }),
      { minItems: 1, maxItems: maxRuleComponents, description: descriptions.components },
    ),
    enabled: Described(
      Type.Optional(OrNull(Type.Boolean())),
      `${descriptions.enabled} Default: true.`,
    ),
    notifySubscribers: Described(
      Type.Optional(OrNull(Type.Boolean())),
      `${descriptions.notifySubscribers} Default: true.`,
    ),
    coolDownWindowMinutes: Described(
      Type.Optional(OrNull(CoolDown)),
      `${descriptions.coolDown} Default: 5.`,
    ),
  },
  { title: "AutomationRuleInput" },
);
export type RuleBody = Type.Static<typeof RuleBody>;

export const RuleParams = Type.Object({
  statusPageId: Described(Guid, "The status page's id."),
  ruleId: Described(Guid, "The rule's id."),
});
export const RuleQuery = Type.Object(CursorQuery);

export const RuleSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    statusPageId: Described(Guid, "The page whose components it affects."),
    name: Type.String({
      description: "Its name, and that of the incident.",
      examples: ["API outage"],
    }),
    enabled: Type.Boolean({ description: descriptions.enabled }),
    firstUpdate: Type.String({ description: descriptions.firstUpdate }),
    lastUpdate: Type.String({ description: descriptions.lastUpdate }),
    notifySubscribers: Type.Boolean({ description: descriptions.notifySubscribers }),
    coolDownWindowMinutes: CoolDown,
    tags: Type.Array(Type.String(), { description: descriptions.tags, examples: [["api"]] }),
    incidentId: Described(OrNull(Guid), "Its open incident; `null` if there is none."),
    components: Type.Array(
      Type.Object({
        id: Described(Guid, "Id of this entry."),
        componentId: Described(Guid, descriptions.componentId),
        targetImpact: Described(OneOf(impacts), descriptions.impact),
      }),
      { description: descriptions.components },
    ),
    created_at: Described(DateOnly, "Date of creation, in UTC."),
    updated_at: Described(
      OrNull(DateOnly),
      "Date of the last change, in UTC; `null` if never changed.",
    ),
  },
  { title: "AutomationRule" },
);
export const RuleList = CursorPage(RuleSchema);

const defaults = { isEnabled: true, notifySubscribers: true, coolDownMinutes: 5 };

/** Converts a request body. Omitted fields stay; `null` resets a field to the default. */
export function fromWireRule(body: RuleBody, before: AutomationRule | null): RuleInput {
  const stored = before ?? defaults;
  const { enabled, notifySubscribers, coolDownWindowMinutes: minutes } = body;
  return {
    name: body.name,
    firstUpdate: body.firstUpdate,
    lastUpdate: body.lastUpdate,
    tags: [...new Set(body.tags)],
    isEnabled: enabled === undefined ? stored.isEnabled : (enabled ?? defaults.isEnabled),
    notifySubscribers:
      notifySubscribers === undefined
        ? stored.notifySubscribers
        : (notifySubscribers ?? defaults.notifySubscribers),
    coolDownMinutes:
      minutes === undefined ? stored.coolDownMinutes : (minutes ?? defaults.coolDownMinutes),
    components: body.components.map(({ componentId, targetImpact }) => ({
      componentId: componentId.toLowerCase(),
      impact: targetImpact,
    })),
  };
}

export function toWireRule(rule: AutomationRule) {
  const { id, statusPageId, name, firstUpdate, lastUpdate, notifySubscribers, incidentId } = rule;
  return {
    ...{ id, statusPageId, name, firstUpdate, lastUpdate, notifySubscribers, incidentId },
    enabled: rule.isEnabled,
    coolDownWindowMinutes: rule.coolDownMinutes,
    tags: [...rule.tags],
    components: rule.components.map(({ impact, ...one }) => ({ ...one, targetImpact: impact })),
    created_at: toDay(rule.createdAt),
    updated_at: rule.updatedAt && toDay(rule.updatedAt),
  };
}
