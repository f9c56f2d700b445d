import { Type } from "typebox";
import { Name, OneOf } from "../../platform/http/schema.ts";

const amounts = [0, 1, 2, 3, 4, 5, 100_000];
const intervals = [1, 2, 3, 4, 5, 10, 15, 30];
const minutes = [5, 10, 15, 30];
const shares = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

function NumberOf(values: readonly number[], fallback: number) {
  return Type.Number({ enum: [...values], default: fallback });
}

/** Clients leave out what they do not set, down to empty objects: every gap has a default. */
export const AlertSettingsSchema = Type.Object({
  escalationType: Type.Enum(["RUN_BASED", "TIME_BASED"], { type: "string", default: "RUN_BASED" }),
  runBasedEscalation: Type.Object(
    { failedRunThreshold: Type.Integer({ minimum: 1, maximum: 5, default: 1 }) },
    { default: {} },
  ),
  timeBasedEscalation: Type.Object(
    { minutesFailingThreshold: NumberOf(minutes, 5) },
    { default: {} },
  ),
  reminders: Type.Object(
    { amount: NumberOf(amounts, 0), interval: NumberOf(intervals, 5) },
    { default: {} },
  ),
  parallelRunFailureThreshold: Type.Object(
    { enabled: Type.Boolean({ default: false }), percentage: NumberOf(shares, 10) },
    { default: {} },
  ),
});

export type AlertSettings = Type.Static<typeof AlertSettingsSchema>;

export const defaultAlertSettings: AlertSettings = {
  escalationType: "RUN_BASED",
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
};

export const retryTypes = ["FIXED", "LINEAR", "EXPONENTIAL", "SINGLE_RETRY"] as const;

export const RetryStrategySchema = Type.Object({
  type: Type.Enum([...retryTypes], { type: "string", default: "FIXED" }),
  baseBackoffSeconds: Type.Number({ minimum: 0, maximum: 600, default: 60 }),
  sameRegion: Type.Boolean({ default: true }),
  maxRetries: Type.Integer({ minimum: 1, maximum: 10, default: 2 }),
  maxDurationSeconds: Type.Number({ minimum: 0, maximum: 600, default: 600 }),
  onlyOn: Type.Array(OneOf(["NETWORK_ERROR"]), { maxItems: 1, default: [] }),
});

export type RetrySettings = Type.Static<typeof RetryStrategySchema>;

/** The name and the description may hold the variables of channel templates. */
export const TriggerIncidentSchema = Type.Object({
  serviceId: Type.String({ format: "uuid" }),
  severity: Type.Enum(["CRITICAL", "MAJOR", "MEDIUM", "MINOR"], {
    type: "string",
    default: "MAJOR",
  }),
  name: Name,
  description: Type.String({ minLength: 1, maxLength: 20_000, pattern: "\\S" }),
  notifySubscribers: Type.Boolean({ default: false }),
});

export type TriggerIncident = Type.Static<typeof TriggerIncidentSchema>;

/** Only what is known of it, and its id as ids are compared. */
export function tidyTrigger(trigger: TriggerIncident): TriggerIncident {
  const { serviceId, severity, name, description, notifySubscribers } = trigger;
  return { serviceId: serviceId.toLowerCase(), severity, name, description, notifySubscribers };
}
