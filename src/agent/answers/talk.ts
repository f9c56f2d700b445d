import type { Situation } from "./situation.ts";
import { formatTime, quote } from "./wording.ts";

/** What the agent cannot do, and the screen where people do it. */
const screens: Readonly<Record<string, readonly [string, string, string]>> = {
  "do.members": ["invite or change members", "Members", "/settings/members"],
  "do.maintenance": ["plan maintenance", "Maintenance", "/alerts/maintenance"],
  "do.incident": ["open an incident", "New incident", "/incidents/new"],
  "do.page": ["change status pages", "Status pages", "/status-pages"],
  "do.dashboard": ["create a dashboard", "Dashboards", "/dashboards"],
  "do.channel": ["change alert channels", "New channel", "/alerts/channels/new"],
  "do.group": ["change groups", "Groups", "/groups"],
  "do.keys": ["create an API key", "API keys", "/settings/api-keys"],
  "do.variables": ["change variables", "Variables", "/settings/variables"],
  "do.profile": ["change your profile", "Profile", "/settings/profile"],
  "do.subscribers": ["subscribe people to a status page", "Status pages", "/status-pages"],
  "do.schedule": ["change on-call schedules", "On call", "/on-call"],
  "do.settings": ["change the settings of checks", "Checks", "/checks"],
  "do.delete": ["delete, pause, restart or rename things", "Checks", "/checks"],
};

export async function answerElsewhere({ answer, intent }: Situation): Promise<void> {
  const [what, screen, path] = screens[intent] ?? ["do that", "Checks", "/checks"];
  answer.line(`I cannot ${what}. Do it here: [${screen}](${path}).`);
  if (intent !== "do.delete") return;
  answer.line(
    "After you confirm, I can run, mute, unmute or create a check, acknowledge, snooze, reassign or escalate an alert, page somebody and post an incident update.",
  );
}

const maxSections = 2;
const fillers = new Set(
  `how do does did i what is are the a an mean means to can where find explain me define meaning
   of my in it would happen happens if when use work works docs about help with documentation
   difference between and THING TIME LOCATION`.split(/\s+/),
);

/** Answers how something is done or what a word means, from the docs. */
export async function answerDocs({ answer, lookup, slots }: Situation): Promise<void> {
  const words = (slots.text.match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((word) => !fillers.has(word))
    .join(" ");
  const query = (words === "" || words.includes("UNKNOWN") ? slots.message : words).slice(0, 200);
  const found = await lookup("search_docs", { query });
  if (found === null) return;
  const { sections } = found.data;
  if (sections.length === 0) {
    answer.line(`The docs have nothing about ${quote(query)}. Look here: [Docs](/docs).`);
    return;
  }
  for (const [index, { page, title, text }] of sections.slice(0, maxSections).entries()) {
    const { id = "" } = found.sources[index] ?? {};
    const heading = page === title ? title : `${page}, ${title}`;
    answer.line(`${heading}: ${cutSentences(text)}${answer.cite(found, id)}`);
  }
}

/** Returns the first sentences of a text, up to a length. */
function cutSentences(text: string): string {
  const sentences = text.split(/(?<=[.!?:]) (?=\p{Lu})/u);
  let cut = "";
  for (const sentence of sentences) {
    if (cut !== "" && cut.length + sentence.length > 320) break;
    cut += `${cut === "" ? "" : " "}${sentence}`;
  }
  return cut;
}

/** Questions for the answer to "help". */
export const exampleQuestions: readonly string[] = [
  "what is failing?",
  "why is edge-router down, and since when?",
  "which locations are silent?",
  "slowest checks by P95 today",
  "availability of core-db last week",
  "what changed since yesterday?",
  "compare this week with last week",
  "summarise the latest incident",
  "draft an update for the latest incident",
  "which services are in trouble?",
  "where do alerts of edge-router go?",
  "which alerts are not acknowledged?",
  "did the alert go out?",
  "who is on call tonight?",
  "when is the next maintenance?",
  "list checks tagged core",
  "run edge-router now",
  "mute edge-router for 2 hours",
  "how do I connect Slack?",
];

export async function answerHelp({ answer }: Situation): Promise<void> {
  answer.line(
    "I am the agent of Vedette, and answer questions about the checks of this account. For example:",
  );
  for (const question of exampleQuestions) answer.item(question);
  answer.line(
    "Every fact names its source, and what changes something waits for you to confirm it.",
  );
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

export async function answerTime({ answer, nowMs }: Situation): Promise<void> {
  answer.line(`It is ${weekdays[new Date(nowMs).getUTCDay()]}, ${formatTime(nowMs)}.`);
}

export async function answerGreeting({ answer }: Situation): Promise<void> {
  answer.line("Hello. Ask me about your checks: for example “what is failing?” or “help”.");
}

export async function answerThanks({ answer }: Situation): Promise<void> {
  answer.line("You are welcome.");
}

/** A message such as "yes" confirms nothing: the client sends the token of the proposal back. */
export async function answerConfirm({ answer }: Situation): Promise<void> {
  answer.line(
    "I cannot confirm it for you. Send back the confirmation that came with my proposal, and it is done.",
  );
}

const cannot =
  "I cannot answer that: I only know the checks, groups, services, pages, incidents, alerts and maintenance of this account.";

export async function answerUnknown({ answer, slots }: Situation): Promise<void> {
  const isEmpty = !/[\p{L}\p{N}]/u.test(slots.message);
  answer.line(isEmpty ? "I see no question. Ask for example “what is failing?”." : cannot);
  if (!isEmpty)
    answer.line(
      "Ask for example “what is failing?”, “why is … down?”, “availability of … last week” or “help”.",
    );
}

/** Offers the questions that are nearest to one that was not understood. */
export function offerQuestions({ answer }: Situation, questions: readonly string[]): void {
  answer.line(`${cannot.replace("that: ", "that as you asked it. ")} Did you mean one of these?`);
  for (const question of questions) answer.item(question);
}
