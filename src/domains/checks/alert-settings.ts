import { Type } from "typebox";
import { Described, Filled, Name, OneOf } from "../../platform/http/schema.ts";

const amounts = [0, 1, 2, 3, 4, 5, 100_000];
const intervals = [1, 2, 3, 4, 5, 10, 15, 30];
const minutes = [5, 10, 15, 30];
const shares = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

function NumberOf(values: readonly number[], fallback: number) {
  return Type.Number({ enum: [...values], default: fallback });
}

/** Clients may omit any field or send empty objects: every field has a default. */
export const AlertSettingsSchema = Type.Object(
  {
    escalationType: Type.Enum(["RUN_BASED", "TIME_BASED"], {
      description: "What is counted before an alert: runs or minutes.",
      type: "string",
      default: "RUN_BASED",
    }),
    runBasedEscalation: Type.Object(
      {
        failedRunThreshold: Type.Integer({
          description: "Failing runs in a row before an alert; retries do not count.",
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
        amount: Described(NumberOf(amounts, 0), "How many; 100000 is without end."),
        interval: Described(NumberOf(intervals, 5), "Minutes between them."),
      },
      { description: "More messages while it goes on.", default: {} },
    ),
    parallelRunFailureThreshold: Type.Object(
      {
        enabled: Type.Boolean({ description: "Whether it counts.", default: false }),
        percentage: Described(
          NumberOf(shares, 10),
          "Percent of the locations that must fail before an alert.",
        ),
      },
      { description: "For checks with `runParallel`.", default: {} },
    ),
    sslCertificates: Type.Optional(
      Type.Object(
        {
          enabled: Type.Boolean({
            description: "False: expiring certificates are not told, whatever a channel asks for.",
            default: true,
          }),
          alertThreshold: Type.Integer({
            description: "From how many days before; a channel may ask for fewer.",
            minimum: 1,
            maximum: 365,
            default: 30,
          }),
        },
        { description: "Alerts on certificates that expire. Channels with `sslExpiry` get them." },
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

const defaultCertificateSettings = { enabled: true, alertThreshold: 30 };

/** Those that were stored before there were any have none. */
export function certificateSettingsOf({ sslCertificates }: Pick<AlertSettings, "sslCertificates">) {
  return sslCertificates ?? defaultCertificateSettings;
}

export const retryTypes = ["FIXED", "LINEAR", "EXPONENTIAL", "SINGLE_RETRY"] as const;

export const RetryStrategySchema = Type.Object(
  {
    type: Type.Enum([...retryTypes], {
      description: "How the waiting time grows. SINGLE_RETRY tries once more.",
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
      description: "True: from the same location; false: from another one.",
      default: true,
    }),
    maxRetries: Type.Integer({
      description: "How many retries at most.",
      minimum: 1,
      maximum: 10,
      default: 2,
    }),
    maxDurationSeconds: Type.Number({
      description: "Seconds in which all retries must begin.",
      minimum: 0,
      maximum: 600,
      default: 600,
    }),
    onlyOn: Type.Array(OneOf(["NETWORK_ERROR"]), {
      description: "Retry only after these faults; empty: after every one.",
      maxItems: 1,
      default: [],
    }),
  },
  { title: "RetryStrategy" },
);

export type RetrySettings = Type.Static<typeof RetryStrategySchema>;

/** The name and the description may hold the variables of channel templates. */
export const TriggerIncidentSchema = Type.Object(
  {
    serviceId: Type.String({ description: "The service that is affected.", format: "uuid" }),
    severity: Type.Enum(["CRITICAL", "MAJOR", "MEDIUM", "MINOR"], {
      description: "How bad it is. CRITICAL and MAJOR mean down.",
      type: "string",
      default: "MAJOR",
    }),
    name: Described(
      Name,
      "The incident's name; may hold variables such as `{{CHECK_NAME}}`.",
      "{{CHECK_NAME}} is down",
    ),
    description: Filled({
      description: "The first update, in Markdown, with the same variables.",
      examples: ["We are looking into it."],
      maxLength: 20_000,
    }),
    notifySubscribers: Type.Boolean({
      description: "Whether subscribers are told.",
      default: false,
    }),
  },
  { title: "TriggerIncident" },
);

export type TriggerIncident = Type.Static<typeof TriggerIncidentSchema>;

/** Only the known fields, with the id in lower case, as ids are compared. */
export function tidyTrigger(trigger: TriggerIncident): TriggerIncident {
  const { serviceId, severity, name, description, notifySubscribers } = trigger;
  return { serviceId: serviceId.toLowerCase(), severity, name, description, notifySubscribers };
}
