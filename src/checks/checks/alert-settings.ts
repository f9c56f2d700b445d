import { Type } from "typebox";
import { Described, Filled, Guid, Name, OneOf, OrNull } from "../../platform/http/schema.ts";

const amounts = [0, 1, 2, 3, 4, 5, 100_000];
const intervals = [1, 2, 3, 4, 5, 10, 15, 30];
const minutes = [5, 10, 15, 30];
const shares = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

function NumberOf(values: readonly number[], fallback: number) {
  return Type.Number({ enum: [...values], default: fallback });
}

/** Alert settings in requests. Every field has a default, so clients may omit any field. */
export const AlertSettingsSchema = Type.Object(
  {
    escalationType: Type.Enum(["RUN_BASED", "TIME_BASED"], {
      description: "Whether the threshold counts runs or minutes.",
      type: "string",
      default: "RUN_BASED",
    }),
    runBasedEscalation: Type.Object(
      {
        failedRunThreshold: Type.Integer({
          description: "Consecutive failing runs before an alert; retries do not count.",
          minimum: 1,
          maximum: 5,
          default: 1,
        }),
      },
      { description: "For RUN_BASED.", default: {} },
    ),
    timeBasedEscalation: Type.Object(
      {
        minutesFailingThreshold: Described(
          NumberOf(minutes, 5),
          "Minutes of failing before an alert.",
        ),
      },
      { description: "For TIME_BASED.", default: {} },
    ),
    reminders: Type.Object(
      {
        amount: Described(
          NumberOf(amounts, 0),
          "Maximum number of reminders; 100000 means unlimited.",
        ),
        interval: Described(NumberOf(intervals, 5), "Minutes between reminders."),
      },
      { description: "Repeated messages while the problem lasts.", default: {} },
    ),
    parallelRunFailureThreshold: Type.Object(
      {
        enabled: Type.Boolean({ description: "Whether the threshold applies.", default: false }),
        percentage: Described(
          NumberOf(shares, 10),
          "Percentage of the locations that must fail before an alert.",
        ),
      },
      { description: "For checks with `runParallel`.", default: {} },
    ),
    sslCertificates: Type.Optional(
      Type.Object(
        {
          enabled: Type.Boolean({
            description:
              "If false, expiring certificates send no alert, whatever the channel settings.",
            default: true,
          }),
          alertThreshold: Type.Integer({
            description: "Days before expiry at which alerts start; a channel may set fewer.",
            minimum: 1,
            maximum: 365,
            default: 30,
          }),
        },
        { description: "Alerts on expiring certificates, sent to channels with `sslExpiry`." },
      ),
    ),
    escalationPolicyId: Type.Optional(
      Described(
        OrNull(Guid),
        "The escalation policy; absent or `null` for that of the group, or else of the account.",
        null,
      ),
    ),
    urgency: Type.Optional(
      Described(
        OrNull(OneOf(["HIGH", "LOW"])),
        "The urgency of its alerts; absent or `null` for that of the group, of a tag, or of the " +
          "kind of alert.",
        null,
      ),
    ),
  },
  { title: "AlertSettings" },
);

export type AlertSettings = Type.Static<typeof AlertSettingsSchema>;

export const defaultAlertSettings: AlertSettings = {
  escalationType: "RUN_BASED",
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
};

/**
 * Combines alert settings of a check and its group. The group's settings prevail, except that the
 * check's own escalation policy and urgency take precedence.
 */
export function combineAlertSettings(
  own: AlertSettings,
  ruling: AlertSettings | null,
): AlertSettings {
  if (ruling === null) return own;
  const { escalationPolicyId, urgency } = own;
  return {
    ...ruling,
    ...(escalationPolicyId && { escalationPolicyId }),
    ...(urgency && { urgency }),
  };
}

const retryTypes = ["FIXED", "LINEAR", "EXPONENTIAL", "SINGLE_RETRY"] as const;

export const RetryStrategySchema = Type.Object(
  {
    type: Type.Enum([...retryTypes], {
      description: "How the delay grows. SINGLE_RETRY retries once.",
      type: "string",
      default: "FIXED",
    }),
    baseBackoffSeconds: Type.Number({
      description: "Seconds before the first retry.",
      minimum: 0,
      maximum: 600,
      default: 60,
    }),
    sameRegion: Type.Boolean({
      description: "If true, retries run from the same location; if false, from another one.",
      default: true,
    }),
    maxRetries: Type.Integer({
      description: "Maximum number of retries.",
      minimum: 1,
      maximum: 10,
      default: 2,
    }),
    maxDurationSeconds: Type.Number({
      description: "Seconds within which all retries must start.",
      minimum: 0,
      maximum: 600,
      default: 600,
    }),
    onlyOn: Type.Array(OneOf(["NETWORK_ERROR"]), {
      description: "Retry only after these errors; empty for all errors.",
      maxItems: 1,
      default: [],
    }),
  },
  { title: "RetryStrategy" },
);

export type RetrySettings = Type.Static<typeof RetryStrategySchema>;

/**
 * Settings of the incident that a failing check opens. The name and the description may contain the
 * template variables of alert channels.
 */
export const TriggerIncidentSchema = Type.Object(
  {
    serviceId: Type.String({ description: "The affected service.", format: "uuid" }),
    severity: Type.Enum(["CRITICAL", "MAJOR", "MEDIUM", "MINOR"], {
      description: "Severity of the incident. CRITICAL and MAJOR mean down.",
      type: "string",
      default: "MAJOR",
    }),
    name: Described(
      Name,
      "The incident's name; may contain variables such as `{{CHECK_NAME}}`.",
      "{{CHECK_NAME}} is down",
    ),
    description: Filled({
      description: "The first update, in Markdown, with the same variables.",
      examples: ["We are investigating the issue."],
      maxLength: 20_000,
    }),
    notifySubscribers: Type.Boolean({
      description: "Whether subscribers are notified.",
      default: false,
    }),
  },
  { title: "TriggerIncident" },
);

export type TriggerIncident = Type.Static<typeof TriggerIncidentSchema>;

/** Copies only the known fields. The service id becomes lower case, so that ids are comparable. */
export function tidyTrigger(trigger: TriggerIncident): TriggerIncident {
  const { serviceId, severity, name, description, notifySubscribers } = trigger;
  return { serviceId: serviceId.toLowerCase(), severity, name, description, notifySubscribers };
}
