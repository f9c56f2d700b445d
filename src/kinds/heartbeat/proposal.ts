import type { KindProposal, ReadTarget, SentenceWords } from "../agent.ts";
import type { Unit } from "./schedule.ts";

interface Amount {
  readonly amount: number;
  readonly unit: Unit;
}

interface MentionedSettings {
  readonly period: Amount | null;
  readonly grace: Amount | null;
}

const fixed: readonly (readonly [RegExp, Amount])[] = [
  [/\b(?:daily|nightly|every night|each day|once a day)\b/, { amount: 1, unit: "days" }],
  [/\b(?:hourly|once an hour)\b/, { amount: 1, unit: "hours" }],
  [/\b(?:weekly|once a week|every week)\b/, { amount: 7, unit: "days" }],
];
const unitNames: readonly (readonly [RegExp, Unit])[] = [
  [/^s/, "seconds"],
  [/^m/, "minutes"],
  [/^h/, "hours"],
  [/^d/, "days"],
];

function toAmount(count: string | undefined, unit: string | undefined): Amount | null {
  const found = unitNames.find(([pattern]) => pattern.test(unit ?? ""));
  return found === undefined ? null : { amount: Number(count ?? 1), unit: found[1] };
}

function readSettings(line: string): MentionedSettings {
  const known = fixed.find(([pattern]) => pattern.test(line))?.[1];
  const every = /\bevery (?:(\d+) )?(seconds?|minutes?|mins?|hours?|days?)\b/.exec(line);
  const grace =
    /\bgrace (?:period )?(?:of )?(\d+) (seconds?|minutes?|mins?|hours?|days?)\b/.exec(line) ??
    /\b(\d+) (seconds?|minutes?|mins?|hours?|days?) (?:of )?(?:grace|late)\b/.exec(line);
  return {
    period: known ?? (every && toAmount(every[1], every[2])),
    grace: grace && toAmount(grace[1], grace[2]),
  };
}

const stopWords = new Set("every daily nightly hourly weekly with and from grace that".split(" "));

/** The job is named after "for", "of" or "from"; it has no address. */
function readTargets({ words }: SentenceWords) {
  const start = words.findIndex((word) => /^(?:for|of|from)$/i.test(word));
  const rest = start < 0 ? [] : words.slice(start + 1);
  const end = rest.findIndex((word) => stopWords.has(word.toLowerCase()));
  const name = (end < 0 ? rest : rest.slice(0, end)).filter(
    (word) => !/^(?:the|my|our)$/i.test(word),
  );
  return { targets: [{ label: name.join(" ").slice(0, 200) || "Heartbeat" }], refused: [] };
}

export const proposal: KindProposal<ReadTarget, MentionedSettings> = {
  claim: (line) => (/\bheartbeats?\b|\bcron ?jobs?\b|\bdead man/.test(line) ? 3 : 0),
  hasOwnSchedule: true,
  noun: "job",
  nouns: ["jobs", "heartbeats"],
  askForTargets: "Which job? Write for example: a heartbeat for the backup every day.",
  noTargetLeft: "There is no job left.",
  readTargets,
  readSettings,
  fitSettings: (mentioned, notes) => {
    if (mentioned.period === null) notes.push("No period was given: a ping is expected every day.");
    return mentioned;
  },
  buildBody: (_job, { period, grace }) => ({
    heartbeat: {
      period: period?.amount ?? 1,
      periodUnit: period?.unit ?? "days",
      ...(grace === null ? {} : { grace: grace.amount, graceUnit: grace.unit }),
    },
  }),
};
