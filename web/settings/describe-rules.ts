/** What the account's rules do, in sentences, in the order of time. Pure. */
import type { components } from "../api/schema.d.ts";

type Settings = components["schemas"]["AccountAlertSettings"];

const endless = 100_000;
const minutes = (count: number) => (count === 1 ? "1 minute" : `${count} minutes`);

function sayFirst({ escalationType, runBasedEscalation, timeBasedEscalation }: Settings): string {
  if (escalationType === "TIME_BASED") {
    const { minutesFailingThreshold } = timeBasedEscalation;
    return `When a check has been failing for ${minutes(minutesFailingThreshold)}, its channels are told.`;
  }
  const { failedRunThreshold: runs } = runBasedEscalation;
  return runs === 1
    ? "As soon as a run fails after its retries, the check's channels are told."
    : `When ${runs} runs in a row fail, the check's channels are told. Retries do not count.`;
}

function sayReminders({ reminders: { amount, interval } }: Settings): string {
  if (amount === 0) return "They are not reminded.";
  if (amount >= endless) {
    return `They are reminded every ${interval === 1 ? "minute" : minutes(interval)} until somebody acknowledges it or it recovers.`;
  }
  const times = amount === 1 ? "once" : `${amount} times`;
  const apart =
    amount === 1
      ? `after ${minutes(interval)}`
      : `every ${interval === 1 ? "minute" : minutes(interval)}`;
  return `They are reminded ${times}, ${apart}, unless somebody acknowledges it or it recovers.`;
}

function sayStages(
  { escalationStages }: Settings,
  nameOf: (channelId: number) => string,
): readonly string[] {
  if (escalationStages.length === 0) return ["If nobody acknowledges it, nobody else is told."];
  return escalationStages
    .toSorted((one, other) => one.afterMinutes - other.afterMinutes)
    .map(({ afterMinutes, alertChannelIds }) => {
      const names = alertChannelIds.map(nameOf).join(", ");
      const when = `If nobody has acknowledged it ${minutes(afterMinutes)} after the first alert`;
      return names === ""
        ? `${when}, nobody is told: this stage names no channel.`
        : `${when}, ${names} ${alertChannelIds.length === 1 ? "is" : "are"} told too.`;
    });
}

function sayRest({ flapDamping, noDataMinutes, parallelRunFailureThreshold }: Settings) {
  const { enabled, percentage } = parallelRunFailureThreshold;
  return [
    "When the check recovers, everybody who was told hears of it.",
    ...(enabled
      ? [`Of checks that run everywhere at once, ${percentage} % of the locations must fail.`]
      : []),
    noDataMinutes === null
      ? "A check that stops reporting alerts nobody."
      : `A check that reports nothing for ${minutes(noDataMinutes)} after a run was due alerts too.`,
    flapDamping === null
      ? "A check that keeps changing alerts at every change."
      : `After ${flapDamping.transitions} changes within ${minutes(flapDamping.windowMinutes)}, a check stays silent until it is stable.`,
  ];
}

export function describeRules(
  settings: Settings,
  nameOf: (channelId: number) => string,
): readonly string[] {
  return [
    sayFirst(settings),
    sayReminders(settings),
    ...sayStages(settings, nameOf),
    ...sayRest(settings),
  ];
}
