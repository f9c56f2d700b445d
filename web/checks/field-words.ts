/** Labels of the fields of a check, for error messages and lists of changes. */
import { kindTargets, timeLimitLabels } from "../kinds/index.ts";

const known: Readonly<Record<string, string>> = {
  activated: "active",
  alertChannelSubscriptions: "channels",
  alertSettings: "alert settings",
  checkType: "kind",
  doubleCheck: "retries",
  environmentVariables: "variables",
  groupId: "group",
  groupOrder: "place in the group",
  privateLocations: "private locations",
  request: "target and request",
  retryStrategy: "retries",
  runParallel: "locations of a run",
  runtimeId: "runtime",
  shouldFail: "expected to fail",
  sslCheckDomain: "certificate domain",
  triggerIncident: "incident on alert",
  useGlobalAlertSettings: "alert settings",
  ...timeLimitLabels,
  ...Object.assign({}, ...kindTargets.map(({ fieldLabels }) => fieldLabels)),
};

/** Returns the label of a field. Without a label, `someField` becomes "some field". */
export function nameField(field: string): string {
  const [name = field] = field.split(".");
  return known[name] ?? name.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
}

/** Returns the labels of the fields as a list without duplicates. */
export function nameFields(fields: readonly string[]): string {
  return [...new Set(fields.map(nameField))].join(", ");
}
