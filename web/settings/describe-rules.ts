/** Describes the account's alert settings in sentences, in the order in which they take effect. */
import type { components } from "../api/schema.d.ts";

type Settings = components["schemas"]["AccountAlertSettings"];

const endless = 100_000;
const minutes = (count: number) => (count === 1 ? "1 minute" : `${count} minutes`);

function describeFirstAlert({
  escalationType,
  runBasedEscalation,
  timeBasedEscalation,
}: Settings): string {
  if (escalationType === "TIME_BASED") {
    const { minutesFailingThreshold } = timeBasedEscalation;
    return `When a check has been failing for ${minutes(minutesFailingThreshold)}, its channels are notified.`;
  }
  const { failedRunThreshold: runs } = runBasedEscalation;
  return runs === 1
    ? "As soon as a run fails after its retries, the check's channels are notified."
    : `When ${runs} consecutive runs fail, the check's channels are notified. Retries do not count.`;
}

function describeReminders({ reminders: { amount, interval } }: Settings): string {
  if (amount === 0) return "No reminders are sent.";
  if (amount >= endless) {
    return `A reminder is sent every ${interval === 1 ? "minute" : minutes(interval)} until the alert is acknowledged or the check recovers.`;
  }
  const subject = amount === 1 ? "1 reminder is sent" : `${amount} reminders are sent`;
  const apart =
    amount === 1
      ? `after ${minutes(interval)}`
      : `every ${interval === 1 ? "minute" : minutes(interval)}`;
  return `${subject}, ${apart}, until the alert is acknowledged or the check recovers.`;
}

function describeStages(
  { escalationStages }: Settings,
  nameOf: (channelId: number) => string,
): readonly string[] {
  if (escalationStages.length === 0)
    return ["If nobody acknowledges the alert, no other channel is notified."];
  return escalationStages
    .toSorted((one, other) => one.afterMinutes - other.afterMinutes)
    .map(({ afterMinutes, alertChannelIds }) => {
      const names = alertChannelIds.map(nameOf).join(", ");
      const when = `If the alert is not acknowledged ${minutes(afterMinutes)} after it was first sent`;
      return names === ""
        ? `${when}, nobody else is notified: this stage has no channel.`
        : `${when}, ${names} ${alertChannelIds.length === 1 ? "is" : "are"} notified too.`;
    });
}

function describeOther({ flapDamping, noDataMinutes, parallelRunFailureThreshold }: Settings) {
  const { enabled, percentage } = parallelRunFailureThreshold;
  return [
    "When the check recovers, every channel that was notified is notified again.",
    ...(enabled
      ? [
          `For checks that run from all locations in parallel, ${percentage} % of the locations must fail.`,
        ]
      : []),
    noDataMinutes === null
      ? "No alert is sent when a check stops reporting."
      : `An alert is also sent when a check has no result ${minutes(noDataMinutes)} after a run was due.`,
    flapDamping === null
      ? "A flapping check sends an alert at every state change."
      : `After ${flapDamping.transitions} state changes within ${minutes(flapDamping.windowMinutes)}, alerts of a check are held until it is stable.`,
  ];
}

/**
 * Describes the settings. `policy` contains the sentences of the escalation policy of the account;
 * `null` if the account has none.
 */
export function describeRules(
  settings: Settings,
  nameOf: (channelId: number) => string,
  policy: readonly string[] | null,
): readonly string[] {
  return [
    describeFirstAlert(settings),
    ...(policy ?? []),
    describeReminders(settings),
    ...(policy === null ? describeStages(settings, nameOf) : []),
    ...describeOther(settings),
  ];
}
