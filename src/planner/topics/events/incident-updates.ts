import { callTool, type Plan, together } from "../../plan.ts";
import { writeOffer } from "../../reading/conversation.ts";
import { splitPost } from "../../reading/question.ts";
import { foldName } from "../../reading/words.ts";
import type {
  GetIncidentData,
  IncidentBrief,
  IncidentStatusName,
  StatusData,
} from "../../tools/tool-data.ts";
import { formatTime, quote, writeList } from "../../wording.ts";
import type { Situation } from "../situation.ts";
import { reportWrite } from "../writes/writes.ts";
import { findIncident } from "./incidents.ts";

const maxOffered = 8;

/** Words that do not identify an incident if they come before "incident". */
const plainWords = new Set(
  `the a an this that our my your its open ongoing current active latest last newest recent unresolved
  new first only existing same public to for on of in about and update draft post resolve close with`.split(
    /\s+/,
  ),
);

/** Returns the words that identify an incident, such as "mail" in "resolve the mail incident". */
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

const newest = /\b(?:latest|newest|last|most recent)\b/i;

/**
 * Finds the incident to change. If the question does not name an incident or ask for the latest
 * one, exactly one open incident must match the words of the question. Otherwise, the answer asks
 * which incident is meant, so that a public text is not posted to the wrong one.
 */
function* findIncidentToChange(situation: Situation): Plan<string | null> {
  const { intent, answer } = situation;
  const { incidents, ids } = intent.subject;
  const words = readIncidentWords(intent.message);
  const isNamed = incidents.length > 0 || ids.length > 0;
  const wantsNewest = newest.test(splitPost(intent.message).instruction) && words.length === 0;
  if (isNamed || wantsNewest) return yield* findIncident(situation);
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

const maxDescription = 2_000;

/** Drafts an incident update for a person to edit. Does not post the update. */
export function* planDraft(situation: Situation): Plan<void> {
  const { answer, intent } = situation;
  const incidentId = yield* findIncidentToChange(situation);
  if (incidentId === null) return;
  const [incident, status] = yield* together(
    callTool("get_incident", { incidentId }),
    callTool("get_status", {}),
  );
  if (incident === null) return;
  const seen = readSight(status?.data.checks ?? []);
  const { failing } = seen;
  const wanted = readStatus(intent.text) ?? guessStatus(incident.data, seen);
  answer.line(
    `A draft for ${quote(incident.data.name)}, status ${wanted}. Nothing has been posted.${answer.cite(incident, incidentId)}`,
  );
  answer.line(`> ${composeUpdate(incident.data, wanted, seen)}`);
  const cited =
    status === null ? "" : answer.cite(status, ...failing.map(({ checkId }) => checkId));
  answer.line(`Based on: ${describeSight(seen)}.${cited}`);
  answer.line("Say “post it” to post this text, or “post: …” with your own words.");
}

function readStatus(text: string): IncidentStatusName | null {
  const words = text.toLowerCase();
  if (/\bresolved?\b|\bclose\b|\bfixed\b/.test(words)) return "RESOLVED";
  if (/\bmonitoring\b/.test(words)) return "MONITORING";
  if (/\bidentified\b/.test(words)) return "IDENTIFIED";
  return /\binvestigating\b/.test(words) ? "INVESTIGATING" : null;
}

/** Status of the account's checks, as background for the draft of an incident update. */
interface Sight {
  readonly failing: readonly StatusData[];
  /** Whether the status of every check is "unknown". */
  readonly isBlind: boolean;
}

function readSight(checks: readonly StatusData[]): Sight {
  return {
    failing: checks.filter(({ status }) => status === "failing"),
    isBlind: checks.every(({ status }) => status === "unknown"),
  };
}

function describeSight({ failing, isBlind }: Sight): string {
  if (isBlind) return "the incident alone, as no check has any data";
  if (failing.length === 0) return "no check is failing now; whether it is over is yours to say";
  return `failing now: ${writeList(failing.map(({ name }) => quote(name)))}`;
}

/**
 * Proposes a status for the next update. Never changes the status to RESOLVED, because the checks
 * may not cover the whole incident.
 */
function guessStatus({ status }: GetIncidentData, { failing }: Sight): IncidentStatusName {
  return status === "MONITORING" && failing.length > 0 ? "INVESTIGATING" : status;
}

/** Composes the public text of an update: affected services, start time, and current state. */
function composeUpdate(
  incident: GetIncidentData,
  status: IncidentStatusName,
  { failing, isBlind }: Sight,
): string {
  const services =
    incident.services.length === 0
      ? "some of our services"
      : writeList(incident.services.map(plain));
  const since = formatTime(incident.startedAt);
  const calm = isBlind ? "" : " Our monitoring sees no failures now.";
  const scope = failing.length > 0 ? " Our monitoring still sees failures." : calm;
  const lines: Readonly<Record<IncidentStatusName, string>> = {
    INVESTIGATING: `Since ${since} we see problems that affect ${services}. We are investigating the cause.${scope}`,
    IDENTIFIED: `We have identified the cause of the problems that affect ${services} since ${since} and are working on a fix.${scope}`,
    MONITORING: `The problems that affected ${services} since ${since} appear to be over.${scope} We keep watching before we call it resolved.`,
    RESOLVED: `The problems that affected ${services} since ${since} are resolved. We are sorry for the trouble.`,
  };
  return lines[status];
}

/** Removes markup from the name of a service, because the draft is meant for publication. */
function plain(name: string): string {
  return quote(name)
    .replaceAll("`", "")
    .replaceAll(/[[\]<>*_#|\\~]/g, "")
    .trim();
}

/** Proposes to post the text in the message or, without one, the draft in the previous answer. */
export function* planPost(situation: Situation): Plan<void> {
  const { intent, answer, lastAnswer } = situation;
  const own = readOwnWords(intent.message);
  const drafted = own === null ? readDraft(lastAnswer) : null;
  const update = own ?? drafted;
  if (update === null) {
    yield* planDraft(situation);
    return;
  }
  const incidentId = yield* findIncidentToChange(situation);
  if (incidentId === null) return;
  const incident = yield* callTool("get_incident", { incidentId });
  if (incident === null) return;
  const { instruction } = splitPost(intent.message);
  const status = readStatus(instruction) ?? update.status ?? incident.data.status;
  const description = update.text.slice(0, maxDescription);
  const done = yield* callTool("post_incident_update", { incidentId, status, description });
  const cited = answer.cite(incident, incidentId);
  answer.line(`To ${quote(incident.data.name)}, status ${status}:${cited}`);
  answer.line(`> ${description.replaceAll("\n", "\n> ")}`);
  reportWrite(situation, done);
}

interface UpdateText {
  readonly text: string;
  readonly status: IncidentStatusName | null;
}

const statusAtEnd =
  /[\s,;.]*\b(?:with )?status(?: is|:)? (investigating|identified|monitoring|resolved)[.!]?$/i;

/** Reads the text to post, which follows "saying" or a colon, and an incident status at its end. */
function readOwnWords(message: string): UpdateText | null {
  const { words } = splitPost(message);
  if (words === null) return null;
  const text = words.replace(statusAtEnd, "").trim();
  return {
    text: text === "" ? words : text,
    status: readStatus(statusAtEnd.exec(words)?.[1] ?? ""),
  };
}

const draftedStatus = /, status (INVESTIGATING|IDENTIFIED|MONITORING|RESOLVED)\./;

function readDraft(answer: string): UpdateText | null {
  const lines = answer.split("\n").filter((line) => line.startsWith("> "));
  const text = lines
    .map((line) => line.slice(2))
    .join("\n")
    .trim();
  const status = readStatus(draftedStatus.exec(answer)?.[1] ?? "");
  return text === "" ? null : { text, status };
}
