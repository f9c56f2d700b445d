/** Descriptions of a check's fields, for a model that fills them in. */
const descriptions: Readonly<Record<string, string>> = {
  name: "Name of the check.",
  activated: "false: created, but paused.",
  muted: "true: runs, but sends no alerts.",
  shouldFail: "true: passes when the host does not respond.",
  locations: "Regions to run from, such as eu-central-1; see list_locations.",
  privateLocations: "Private locations to run from.",
  tags: "Labels to find the check by.",
  groupId: "Id of its group; see list_groups.",
  runParallel: "true: all locations run at once; false: in turn.",
  frequency: "Minutes between runs; 0 for less than a minute, see frequencyOffset.",
  frequencyOffset: "With frequency 0, seconds between runs: 10, 20 or 30.",
  degradedResponseTime: "Average round trip in milliseconds above which a run is degraded.",
  maxResponseTime: "Average round trip in milliseconds above which a run is failing.",
  useGlobalAlertSettings: "true: the account's alert settings apply, not those given here.",
  alertSettings: "When alerts are sent.",
  "alertSettings.escalationType": "Alert after failed runs in a row, or after minutes of failing.",
  "alertSettings.runBasedEscalation": "For RUN_BASED.",
  "alertSettings.runBasedEscalation.failedRunThreshold": "Failed runs in a row before an alert.",
  "alertSettings.timeBasedEscalation": "For TIME_BASED.",
  "alertSettings.timeBasedEscalation.minutesFailingThreshold":
    "Minutes of failing before an alert.",
  "alertSettings.reminders": "Repeated alerts while the failure lasts.",
  "alertSettings.reminders.amount": "Number of reminders; 100000 for unlimited.",
  "alertSettings.reminders.interval": "Minutes between reminders.",
  "alertSettings.parallelRunFailureThreshold": "Share of locations that must fail before an alert.",
  "alertSettings.parallelRunFailureThreshold.enabled": "false: one failing location is sufficient.",
  "alertSettings.parallelRunFailureThreshold.percentage": "Percentage of locations that must fail.",
  "alertSettings.sslCertificates": "Alerts on expiring certificates.",
  "alertSettings.sslCertificates.enabled": "false: no such alerts.",
  "alertSettings.sslCertificates.alertThreshold": "Days before a certificate expires.",
  retryStrategy: "How a failed run is retried; null for no retries.",
  "retryStrategy.type": "How the delay grows between retries.",
  "retryStrategy.baseBackoffSeconds": "Seconds before the first retry.",
  "retryStrategy.sameRegion": "true: from the same location; false: from another.",
  "retryStrategy.maxRetries": "Maximum number of retries.",
  "retryStrategy.maxDurationSeconds": "Seconds after which no retry starts.",
  "retryStrategy.onlyOn": "Retry only on these failures; empty for all.",
};

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** Returns the schema with a description of each field. */
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
