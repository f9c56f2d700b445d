import type { KindGlossary } from "../../kinds/kit/agent.ts";
import { findGlossary, kindExamples } from "../kinds.ts";
import { type Plan, settle } from "../plan.ts";
import { findElsewhere } from "../reading/elsewhere.ts";
import { formatTime } from "../wording.ts";
import type { Situation } from "./situation.ts";

/** Example questions that users can ask. */
export const exampleQuestions: readonly string[] = [
  "what is failing?",
  "why is edge-router down, and since when?",
  "is it the network or the host?",
  "which locations see edge-router failing?",
  "slowest checks by P95 today",
  "availability of core-db last week",
  "what changed since yesterday?",
  "is anything flapping?",
  "compare this week with last week",
  "summarise the latest incident",
  "draft an update for the latest incident",
  "which services are in trouble?",
  "what is in the group Core network?",
  "which status pages are there?",
  "where do alerts of edge-router go?",
  "which alerts are not acknowledged?",
  "did the alert go out?",
  "maintenance now or next?",
  "list checks tagged core",
  "which locations are silent?",
  "run edge-router now",
  "mute edge-router",
  ...kindExamples,
];

export function planHelp({ answer }: Situation): Plan<void> {
  answer.line(
    "I am the agent of Vedette, and answer questions about the checks of this account. For example:",
  );
  for (const question of exampleQuestions) answer.item(question);
  answer.line(
    "Names may be cut or misspelt, times are UTC, every fact names its source, and what changes something waits for you to confirm it.",
  );
  return settle(undefined);
}

export function planGreeting({ answer }: Situation): Plan<void> {
  answer.line("Hello. Ask me about your checks: for example “what is failing?” or “help”.");
  return settle(undefined);
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

export function planTime({ answer, nowMs }: Situation): Plan<void> {
  answer.line(`It is ${weekdays[new Date(nowMs).getUTCDay()]}, ${formatTime(nowMs)}.`);
  return settle(undefined);
}

export function planThanks({ answer }: Situation): Plan<void> {
  answer.line("You are welcome.");
  return settle(undefined);
}

export function planForbidden({ answer }: Situation): Plan<void> {
  answer.line(
    "I cannot do that. After you confirm I can run, mute, unmute or create a check, acknowledge, snooze, reassign or escalate an alert, page somebody and post an incident update; everything else is done in the app or through the API.",
  );
  return settle(undefined);
}

/** Names the screen for a task that the agent cannot do. */
export function planElsewhere({ answer, intent }: Situation): Plan<void> {
  const found = findElsewhere(intent.message);
  if (found !== null) {
    answer.line(`I cannot ${found.what}. Do it here: [${found.screen}](${found.path}).`);
  }
  return settle(undefined);
}

export function planUnknown({ answer, intent }: Situation): Plan<void> {
  answer.line(
    intent.text === ""
      ? "I see no question. Ask for example “what is failing?”."
      : "I cannot answer that: I only know the checks, groups, services, pages, incidents, alerts and maintenance of this account.",
  );
  answer.line(
    "Ask for example “what is failing?”, “why is … down?”, “availability of … last week” or “help”.",
  );
  return settle(undefined);
}

const listMeanings = (glossary: KindGlossary): readonly (readonly [RegExp, string])[] => [
  [/\bDOWN\b/, glossary.failing],
  [/\bDEGRADED\b/, glossary.degraded],
  [
    /\bUNKNOWN\b/,
    "Unknown: nothing was learned, because the check never ran or no probe answered.",
  ],
  [/\bUP\b/, "Passing: the newest run was within all limits of the check."],
  [/\bFLAP\b/, "Flapping: the status of a check keeps changing; I call it that from 4 changes on."],
  [/\bMUTED?\b/, "Muted: a muted check runs and records, but alerts nobody."],
  [/\bUPTIME\b/, "Availability: the share of the runs with a verdict that did not fail."],
  [/\b(?:NINETYFIVE|NINETYNINE|MEDIAN)\b/, glossary.percentiles],
  [/\b(?:MEASURE|UNIT)\b/, glossary.measure],
];

export function planMeaning({ answer, intent }: Situation): Plan<void> {
  const meanings = listMeanings(findGlossary(intent.text));
  const found = meanings.filter(([pattern]) => pattern.test(intent.canonical));
  for (const [, text] of found) answer.line(text);
  if (found.length === 0) answer.line("I do not know that word. Ask “help” for what I know.");
  return settle(undefined);
}

/**
 * Explains that a message such as "yes" does not confirm a proposal. To confirm a proposal, the
 * client must send back the confirmation token that came with it.
 */
export function planConfirmation({ answer }: Pick<Situation, "answer">): Plan<void> {
  answer.line(
    "I cannot confirm it for you. Send back the confirmation that came with my proposal, and it is done.",
  );
  return settle(undefined);
}
