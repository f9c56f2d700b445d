/** What the fields of a check mean, for a model that has to fill them in. */
const descriptions: Readonly<Record<string, string>> = {
  name: "What people call the check.",
  activated: "false: it is made, but does not run.",
  muted: "true: it runs, but alerts nobody.",
  shouldFail: "true: it passes when the host does not answer.",
  locations: "Regions to run from, such as eu-central-1; list_locations has them.",
  privateLocations: "Places of one's own to run from.",
  tags: "Words to find the check by.",
  groupId: "The number of the group it joins; list_groups has them.",
  runParallel: "true: all places run at once; false: one place after another.",
  frequency: "Minutes between two runs; 0 for less than a minute, see frequencyOffset.",
  frequencyOffset: "With frequency 0 the seconds between two runs: 10, 20 or 30.",
  degradedResponseTime: "Average round trip in milliseconds above which a run is degraded.",
  maxResponseTime: "Average round trip in milliseconds above which a run is failing.",
  useGlobalAlertSettings: "true: the account's alert settings hold, not those given here.",
  alertSettings: "When alerts are sent.",
  "alertSettings.escalationType": "Alert after failed runs in a row, or after minutes of failing.",
  "alertSettings.runBasedEscalation": "For RUN_BASED.",
  "alertSettings.runBasedEscalation.failedRunThreshold": "Failed runs in a row before an alert.",
  "alertSettings.timeBasedEscalation": "For TIME_BASED.",
  "alertSettings.timeBasedEscalation.minutesFailingThreshold":
    "Minutes of failing before an alert.",
  "alertSettings.reminders": "Alerts that repeat while the trouble goes on.",
  "alertSettings.reminders.amount": "How many reminders; 100000 for no end.",
  "alertSettings.reminders.interval": "Minutes between two reminders.",
  "alertSettings.parallelRunFailureThreshold": "How many places must fail before an alert.",
  "alertSettings.parallelRunFailureThreshold.enabled": "false: one place that fails is enough.",
  "alertSettings.parallelRunFailureThreshold.percentage": "Percent of the places that must fail.",
  "alertSettings.sslCertificates": "Alerts on certificates that expire.",
  "alertSettings.sslCertificates.enabled": "false: they are not told.",
  "alertSettings.sslCertificates.alertThreshold": "How many days before a certificate expires.",
  retryStrategy: "How a failed run is tried again; null for not at all.",
  "retryStrategy.type": "How the wait grows from one retry to the next.",
  "retryStrategy.baseBackoffSeconds": "Seconds before the first retry.",
  "retryStrategy.sameRegion": "true: from the same place; false: from another.",
  "retryStrategy.maxRetries": "How many retries at most.",
  "retryStrategy.maxDurationSeconds": "Seconds after which no retry begins.",
  "retryStrategy.onlyOn": "Retry only on these; empty for every failure.",
};

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** The same schema, each of its fields with what it means. */
export function describeFields(
  schema: JsonSchema,
  hints: Readonly<Record<string, string>>,
  path = "",
): JsonSchema {
  const { properties } = schema;
  if (properties === undefined) return schema;
  const described = Object.entries(properties).map(([name, field]) => {
    const here = `${path}${name}`;
    const description = hints[here] ?? descriptions[here] ?? "";
    return [name, { ...describeFields(field, hints, `${here}.`), description }];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}
