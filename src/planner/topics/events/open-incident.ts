import { callTool, type Plan } from "../../plan.ts";
import { writeOffer } from "../../reading/offer.ts";
import { foldName } from "../../reading/words.ts";
import type { IncidentBrief } from "../../tools/tool-data.ts";
import { quote } from "../../wording.ts";
import type { Situation } from "../situation.ts";
import { findIncident } from "./incidents.ts";

const maxOffered = 8;

/** Words before "incident" that do not name it. */
const plainWords = new Set(
  `the a an this that our my your its open ongoing current active latest last newest recent unresolved
  new first only existing same public to for on of in about and update draft post resolve close with`.split(
    /\s+/,
  ),
);

/** Returns the words that name an incident: "mail" in "resolve the mail incident". */
export function readIncidentWords(message: string): string[] {
  const [, before = ""] = /^(.*?)\bincident\b/is.exec(message) ?? [];
  const phrase = /\b(?:the|our|this|that)\s+((?:(?!\b(?:the|our|this|that)\b).)*)$/is.exec(before);
  return foldName(phrase?.[1] ?? "")
    .split(" ")
    .filter((word) => word.length > 1 && !plainWords.has(word));
}

function isMeant({ name, services }: IncidentBrief, words: readonly string[]): boolean {
  const known = foldName([name, ...services].join(" ")).split(" ");
  return words.every((word) => known.some((one) => one.startsWith(word)));
}

/**
 * Finds the open incident for a write. Unless the words name exactly one, or only one is open and
 * none is named, it asks: a public text must not be posted to another incident.
 */
export function* findIncidentToChange(situation: Situation): Plan<string | null> {
  const { intent, answer } = situation;
  const { incidents, ids } = intent.subject;
  const words = readIncidentWords(intent.message);
  const isNamed = incidents.length > 0 || ids.length > 0;
  if (isNamed || (intent.wantsLatest && words.length === 0)) return yield* findIncident(situation);
  const found = yield* callTool("list_incidents", {});
  if (found === null) return null;
  const open = found.data.incidents.filter(({ resolvedAt }) => resolvedAt === null);
  const meant = open.filter((incident) => isMeant(incident, words));
  const [only] = meant;
  if (meant.length === 1 && only !== undefined) return only.incidentId;
  if (open.length === 0) {
    answer.line("No incident is open.");
    return null;
  }
  const sought = quote(words.join(" "));
  answer.line(
    meant.length > 0
      ? `${meant.length} open incidents fit. Which one do you mean?`
      : `No open incident is called ${sought}. Which one do you mean?`,
  );
  const offered = meant.length > 0 ? meant : open;
  for (const [index, { incidentId, name }] of offered.slice(0, maxOffered).entries()) {
    answer.line(writeOffer(index + 1, { kind: "incident", id: incidentId, name }));
  }
  return null;
}
