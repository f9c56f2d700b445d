import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { invalid } from "../../platform/errors.ts";
import {
  CreatedAt,
  Described,
  Filled,
  Guid,
  ObjectOrNull,
  RowId,
  UpdatedAt,
} from "../../platform/http/schema.ts";
import { tagContent } from "../../platform/http/send.ts";
import { fromWireHours, weekHoursFields } from "../../platform/http/week-hours-schema.ts";
import {
  type EscalationPolicy,
  type EscalationTarget,
  maxRepeat,
  maxRepeatMinutes,
  maxStepMinutes,
  maxSteps,
  maxTargets,
  type PolicyInput,
} from "./escalation-policy.ts";

const Target = Type.Object({
  scheduleId: Described(Type.Optional(Guid), "Pages the person on call for this schedule."),
  userId: Described(Type.Optional(Guid), "Pages this member."),
  channelId: Described(Type.Optional(RowId), "Alerts this channel."),
});

const policyFields = {
  name: Filled({ description: "Unique in the account.", maxLength: 100, examples: ["Shop"] }),
  steps: Type.Array(
    Type.Object({
      afterMinutes: Type.Integer({
        description: "Minutes after the alert without acknowledgement; 0 is with the alert.",
        minimum: 0,
        maximum: maxStepMinutes,
      }),
      targets: Type.Array(Target, {
        description: "Who is alerted: each has exactly one of the three ids.",
        minItems: 1,
        maxItems: maxTargets,
      }),
    }),
    { description: "In the order of their times.", minItems: 1, maxItems: maxSteps },
  ),
  repeat: Type.Integer({
    description: "How often the steps are repeated while nobody acknowledges.",
    minimum: 0,
    maximum: maxRepeat,
    default: 0,
  }),
  repeatAfterMinutes: Type.Integer({
    description:
      "Minutes from the last step to the next round, and from the last round to the fallback.",
    minimum: 1,
    maximum: maxRepeatMinutes,
    default: 10,
  }),
  useFallback: Type.Boolean({
    description:
      "Whether the account's fallback channel, or the owners by email, are alerted after the " +
      "last round. If false, they receive an alert only if the last page fails and no message " +
      "about the alert has arrived anywhere.",
    default: true,
  }),
  supportHours: Described(
    Type.Optional(
      ObjectOrNull(
        Type.Object(weekHoursFields("When alerts of low urgency are sent."), {
          title: "SupportHours",
        }),
      ),
    ),
    "Alerts of low urgency wait until these hours begin; `null` if they do not wait.",
    null,
  ),
};

/** Schemas of all fields of a policy except its name. */
const { name: _name, ...ruleFields } = policyFields;
export const policyRuleFields = ruleFields;
export const PolicyBody = Type.Object(policyFields, { title: "EscalationPolicyInput" });
export const PolicySchema = Type.Object(
  {
    id: Described(Guid, "Id of the policy."),
    ...policyFields,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: "EscalationPolicy" },
);
type PolicyBody = Type.Static<typeof PolicyBody>;
const PolicyRules = Type.Object(policyRuleFields);

export const PolicyParams = Type.Object({ policyId: Described(Guid, "Id of the policy.") });

function fromWireTarget(
  { scheduleId, userId, channelId }: Type.Static<typeof Target>,
  key: string,
): EscalationTarget {
  const given: EscalationTarget[] = [
    ...(scheduleId === undefined ? [] : [{ scheduleId: scheduleId.toLowerCase() }]),
    ...(userId === undefined ? [] : [{ userId: userId.toLowerCase() }]),
    ...(channelId === undefined ? [] : [{ channelId }]),
  ];
  const [target, ...others] = given;
  if (target !== undefined && others.length === 0) return target;
  throw invalid(key, "must have exactly one of scheduleId, userId and channelId");
}

/** Copies each field of a policy by name, so that unknown fields of the body are not stored. */
export function fromWirePolicy(body: PolicyBody): PolicyInput {
  return { name: body.name, ...fromWireRules(body) };
}

export function fromWireRules(body: Type.Static<typeof PolicyRules>): Omit<PolicyInput, "name"> {
  const { steps, repeat, repeatAfterMinutes, useFallback, supportHours } = body;
  return {
    steps: steps.map(({ afterMinutes, targets }, index) => ({
      afterMinutes,
      targets: targets.map((one, place) => fromWireTarget(one, `steps.${index}.targets.${place}`)),
    })),
    repeat,
    repeatAfterMinutes,
    usesFallback: useFallback,
    supportHours: supportHours ? fromWireHours(supportHours) : null,
  };
}

/** Returns the request body that would create the policy. */
export function toWireBody(policy: PolicyInput) {
  const { name, steps, repeat, repeatAfterMinutes, usesFallback, supportHours } = policy;
  const hours = supportHours && {
    timeZone: supportHours.timeZone,
    ranges: supportHours.ranges.map(({ days, ...range }) => ({ ...range, days: [...days] })),
  };
  return {
    name,
    steps: steps
      .filter(({ targets }) => targets.length > 0)
      .toSorted((one, other) => one.afterMinutes - other.afterMinutes)
      .map(({ afterMinutes, targets }) => ({ afterMinutes, targets: [...targets] })),
    repeat,
    repeatAfterMinutes,
    useFallback: usesFallback,
    supportHours: hours,
  };
}

export function toWirePolicy(policy: EscalationPolicy) {
  return {
    id: policy.id,
    ...toWireBody({ ...policy, usesFallback: policy.fallbackChannelId !== null }),
    created_at: formatDateTime(policy.createdAt),
    updated_at: policy.updatedAt && formatDateTime(policy.updatedAt),
  };
}

export function tagPolicy(policy: EscalationPolicy): string {
  const { created_at: _made, updated_at: _changed, ...content } = toWirePolicy(policy);
  return tagContent([content]);
}
