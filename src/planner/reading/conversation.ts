import { quote } from "../wording.ts";
import { matchNames } from "./name-match.ts";
import { fill, type Intent, isEmptySubject, type Reading, readQuestion } from "./question.ts";
import { emptySubject, type Subject } from "./subject.ts";
import type { Topic } from "./topic.ts";
import type { ThingKind, Vocabulary } from "./vocabulary.ts";

/** One of several options that an answer offered to the user. */
interface Offered {
  readonly kind: "check" | "incident";
  readonly id: string;
  readonly name: string;
}

const line = /^(\d{1,2})\. `(.{1,200})` \((check|incident) ([0-9a-f-]{36})\)$/;

/**
 * Formats one numbered option of an answer. Options are stored only in the conversation, so the
 * next turn parses this text.
 */
export function writeOffer(place: number, { kind, id, name }: Offered): string {
  return `${place}. ${quote(name)} (${kind} ${id})`;
}

function parseOffer(answer: string): Offered[] {
  return answer
    .slice(-4_000)
    .split("\n")
    .flatMap((text): Offered[] => {
      const [, , name, kind, id] = line.exec(text) ?? [];
      if (name === undefined || id === undefined) return [];
      return [{ kind: kind === "incident" ? "incident" : "check", id, name }];
    });
}

/**
 * Returns the names that an answer listed, in order, to resolve replies such as "the second one".
 */
function parseListed(answer: string): string[] {
  const [body = ""] = answer.split("\n\nSources: ");
  return body
    .slice(0, 8_000)
    .split("\n")
    .flatMap((text) => /^- `(.{1,200}?)`/.exec(text)?.[1] ?? []);
}

/** Finds the option that a reply selects, by its number or by words that match only its name. */
function chooseOffered(
  offered: readonly Offered[],
  choice: { readonly ordinal: number | null; readonly text: string },
): Offered | null {
  if (offered.length === 0) return null;
  if (choice.ordinal !== null) {
    const index = choice.ordinal === -1 ? offered.length - 1 : choice.ordinal - 1;
    return offered[index] ?? null;
  }
  const bare = choice.text.replace(/^(?:the|i mean|mean)\s+/i, "").replace(/\s+one$/i, "");
  const found = matchNames(bare, offered, ({ name }) => [name]);
  return found?.things.length === 1 ? (found.things[0] ?? null) : null;
}

export interface Turn {
  readonly role: "user" | "assistant";
  readonly text: string;
}

export interface Understanding {
  /** Intents of the latest message, with missing parts filled in from earlier turns. */
  readonly intents: readonly Intent[];
  readonly needsNames: boolean;
  /** Text of the previous answer, which contains the draft that "post it" refers to. */
  readonly lastAnswer: string;
}

/** Maximum number of words in a message that selects an option from a list. */
const maxChoiceWords = 8;
/** Maximum number of recent turns that are read to understand the latest message. */
const maxTurns = 10;

/**
 * Topics about checks. A question with such a topic that names no check is about the check
 * discussed before.
 */
const aboutChecks: ReadonlySet<Topic> = new Set<Topic>([
  "status",
  "since",
  "why",
  "blame",
  "places",
  "latency",
  "availability",
  "measure",
  "results",
  "deliveries",
  "compare",
  "members",
  "channels",
  "alerts",
  "acknowledge",
  "snooze",
  "reassign",
  "escalate",
  "count",
  "run",
  "mute",
  "unmute",
]);
/**
 * Topics that cover several checks together. After an answer about such a topic, the user may
 * select one of the listed checks, as in "and the second one?". The topic then changes to the
 * status of the selected check.
 */
const aboutMany: ReadonlySet<Topic> = new Set<Topic>([
  "deliveries",
  "compare",
  "channels",
  "alerts",
  "count",
]);
const aboutIncidents: ReadonlySet<Topic> = new Set<Topic>(["incident", "draft", "post"]);

export function readConversation(
  turns: readonly Turn[],
  nowMs: number,
  vocabulary: Vocabulary,
  seed: Intent | null = null,
): Understanding {
  let context: Intent | null = seed;
  let intents: readonly Intent[] = [];
  let needsNames = false;
  let lastAnswer = "";
  for (const { role, text } of turns.slice(-maxTurns)) {
    if (role === "assistant") {
      lastAnswer = text;
      continue;
    }
    const reading: Reading = readQuestion(text, nowMs, vocabulary);
    const chosen = choose(reading, { text, lastAnswer, context, vocabulary });
    const leansBack = reading.clauses.some((clause) => isIncomplete(clause));
    const picks = reading.clauses.some(({ ordinal }) => ordinal !== null);
    const picksListed = picks && parseListed(lastAnswer).length > 0;
    intents = chosen === null ? resolveAll(reading.clauses, context, seed) : [chosen];
    // An answer about the resource on the user's screen shows the name of the resource. Resource
    // names must therefore be fetched even if the question contains no name.
    const isFocused = seed !== null && intents.some(({ subject }) => subject === seed.subject);
    needsNames = reading.needsNames || picksListed || isFocused || (leansBack && needsNames);
    context = intents.findLast(({ topic }) => !isSmallTalk(topic)) ?? context;
  }
  return { intents, needsNames, lastAnswer };
}

function isSmallTalk(topic: Topic | null): boolean {
  return topic === null || topic === "greeting" || topic === "thanks" || topic === "help";
}

function isIncomplete(intent: Intent): boolean {
  return intent.topic === null || intent.leans || isEmptySubject(intent.subject);
}

/**
 * Repeats the previous question for the option that the user selected after "Which one do you
 * mean?". Returns `null` if the message selects no option.
 */
function choose(
  reading: Reading,
  before: {
    readonly text: string;
    readonly lastAnswer: string;
    readonly context: Intent | null;
    readonly vocabulary: Vocabulary;
  },
): Intent | null {
  const [clause] = reading.clauses;
  if (clause === undefined || before.context === null || reading.clauses.length > 1) return null;
  const isShort = before.text.trim().split(/\s+/).length <= maxChoiceWords;
  if (!isShort || (clause.topic !== null && clause.topic !== "status")) return null;
  const offered = parseOffer(before.lastAnswer);
  const choice = { ordinal: clause.ordinal, text: before.text.replace(/[?!.,"']+/g, " ").trim() };
  const chosen = chooseOffered(offered, choice);
  if (chosen === null) return chooseListed(clause, before);
  const subject: Subject =
    chosen.kind === "incident"
      ? { ...emptySubject, incidents: [{ incidentId: chosen.id, name: chosen.name }] }
      : {
          ...before.context.subject,
          ambiguities: [],
          unknown: [],
          things: [],
          namesakes: [],
          checks: [{ checkId: chosen.id, name: chosen.name, target: "", tags: [] }],
        };
  return { ...before.context, subject };
}

/**
 * Repeats the previous question for the check that a reply such as "and the second one?" selects
 * from a list. If the previous topic does not apply to a single check, asks for the check's status.
 */
function chooseListed(
  { ordinal }: Intent,
  before: {
    readonly lastAnswer: string;
    readonly context: Intent | null;
    readonly vocabulary: Vocabulary;
  },
): Intent | null {
  const { context, vocabulary } = before;
  const listed = parseListed(before.lastAnswer);
  if (ordinal === null || context === null) return null;
  const name = listed.at(ordinal === -1 ? -1 : ordinal - 1);
  const check = vocabulary.checks.find((one) => quote(one.name) === `\`${name}\``);
  if (check === undefined) return null;
  const subject = { ...emptySubject, checks: [check], places: context.subject.places };
  const isOfOne =
    aboutChecks.has(context.topic ?? "help") && !aboutMany.has(context.topic ?? "help");
  return { ...context, subject, statuses: [], topic: isOfOne ? context.topic : "status" };
}

function resolveAll(
  clauses: readonly Intent[],
  context: Intent | null,
  seed: Intent | null,
): Intent[] {
  const resolved: Intent[] = [];
  let before = context;
  for (const clause of clauses) {
    const intent = before === null ? clause : resolve(clause, pickContext(clause, before, seed));
    resolved.push(intent);
    if (!isSmallTalk(intent.topic)) before = intent;
  }
  return resolved.map(addDefaultTopic);
}

/**
 * Returns the intent from which a clause inherits its missing parts: either `before`, the previous
 * intent, or `seed`, an intent about the resource on the user's screen. Returns `seed` if the
 * clause says "this" or "here". Also returns `seed` if the clause has a topic and the previous
 * intent has no subject. In all other cases, and if `seed` is `null`, returns `before`.
 */
function pickContext(clause: Intent, before: Intent, seed: Intent | null): Intent {
  if (seed === null) return before;
  const pointsAtScreen = /\b(?:this|here)\b/.test(clause.canonical);
  const isOpen = clause.topic !== null && isEmptySubject(before.subject);
  return pointsAtScreen || isOpen ? seed : before;
}

function resolve(clause: Intent, context: Intent): Intent {
  if (clause.topic === null) {
    if (isOnlyFocus(context) && clause.leans) return resolveByFocus(clause, context);
    const isBare = isEmptySubject(clause.subject) && clause.window === null && !clause.leans;
    if (isBare && clause.figure === null && clause.statuses.length === 0) return clause;
    return splitByPlace(mergeSubjects(fill(clause, { ...context, text: "" }), clause, context));
  }
  if (isSmallTalk(clause.topic)) return clause;
  const hasNoSubject = isEmptySubject(clause.subject);
  if (isOnlyFocus(context)) return resolveByFocus(clause, context);
  // Answers "since when?" after a question such as "any open incidents?" with the same incidents.
  const wasIncidents = context.topic === "incidents" || context.topic === "incident";
  if (clause.topic === "since" && hasNoSubject && wasIncidents) {
    return { ...clause, topic: context.topic, subject: context.subject, window: context.window };
  }
  // "only the broken ones" selects from the checks that were just discussed.
  const narrows = /\bSOLE\b.*\b(?:ones|those|them)\b/.test(clause.canonical);
  if (clause.topic === "overview" && narrows && !isEmptySubject(context.subject)) {
    return { ...clause, topic: "status", subject: keepKind("status", context.subject) };
  }
  const isAbout =
    aboutChecks.has(clause.topic) || aboutIncidents.has(clause.topic) || asksForPlaces(clause);
  // "mute every check" refers to all checks, not to the check of the previous question.
  const meansAll =
    /\bEVERY\b/.test(clause.canonical) ||
    (aboutMany.has(clause.topic) && /\b(?:any|which|CHECK)\b/.test(clause.canonical));
  const inherits = hasNoSubject && !meansAll && (clause.leans || isAbout);
  const opensWithAnd = /^(?:ALSO|what about|how about)\b/.test(clause.canonical);
  return splitByPlace({
    ...clause,
    subject: inherits ? keepKind(clause.topic, context.subject) : clause.subject,
    window: clause.window ?? (opensWithAnd && !clause.isNow ? context.window : null),
  });
}

/** Returns whether an intent was created from the resource on the screen instead of a message. */
function isOnlyFocus({ message, canonical }: Intent): boolean {
  return message === "" && canonical === "";
}

/**
 * Completes a clause with the resource on the screen. General questions do not inherit from the
 * screen: "what is failing?" still asks about all checks.
 */
function resolveByFocus(clause: Intent, focus: Intent): Intent {
  const leans = clause.leans && !/\b(?:is|are|was|were) there\b/.test(clause.canonical);
  const topic = leans && clause.topic === "overview" ? "status" : (clause.topic ?? "status");
  const meansAll = /\b(?:EVERY|any|CHECK)\b/.test(clause.canonical) && !leans;
  if (!isEmptySubject(clause.subject) || meansAll) return clause;
  const hasIncident = focus.subject.incidents.length > 0;
  if (hasIncident && leans && ["status", "why", "since"].includes(topic)) {
    return { ...clause, topic: "incident", subject: focus.subject };
  }
  const isAbout = aboutChecks.has(topic) && topic !== "count" && topic !== "compare";
  const fits = leans || isAbout || aboutIncidents.has(topic) || asksForPlaces(clause);
  if (!fits) return clause;
  if (hasIncident !== aboutIncidents.has(topic) && !leans) return clause;
  return splitByPlace({ ...clause, topic, subject: focus.subject });
}

/**
 * Returns whether a clause asks for the locations of the current subject, as in "which locations?"
 * and "by location". Returns false if the clause contains a word such as "list", "how many" or
 * "probes", because such a question is about all locations.
 */
function asksForPlaces({ topic, canonical }: Intent): boolean {
  return topic === "probes" && !/\b(?:PROBE|SILENT|LIST|COUNT)\b/.test(canonical);
}

/**
 * Changes a question about the locations of a check to the topic "places", the status per location.
 */
function splitByPlace(intent: Intent): Intent {
  const { checks, ids, ambiguities } = intent.subject;
  const hasCheck = checks.length + ids.length + ambiguities.length > 0;
  return asksForPlaces(intent) && hasCheck ? { ...intent, topic: "places" } : intent;
}

/**
 * Returns the part of a subject that a topic inherits. Only topics about incidents inherit
 * incidents and unknown words.
 */
function keepKind(topic: Topic, subject: Subject): Subject {
  if (aboutIncidents.has(topic)) return subject;
  return { ...subject, incidents: [], unknown: [] };
}

/**
 * Decides the subject of a follow-up. "what about Frankfurt?" keeps the previous check, "what about
 * core-db?" replaces it, and "shorter" after a draft keeps the previous incident.
 */
function mergeSubjects(intent: Intent, clause: Intent, context: Intent): Intent {
  const { places, checks, tags, ambiguities, unknown } = clause.subject;
  const isPlaceOnly =
    places.length > 0 && [checks, tags, ambiguities, unknown].every((list) => list.length === 0);
  const named = Object.values({ ...clause.subject, unknown: [] }).flat();
  const isRemark =
    named.length === 0 && !clause.leans && aboutIncidents.has(context.topic ?? "help");
  if (isRemark) return { ...intent, subject: context.subject };
  if (!isPlaceOnly) return intent;
  return { ...intent, subject: { ...context.subject, places } };
}

const thingTopics: Readonly<Partial<Record<ThingKind, Topic>>> = {
  page: "pages",
  channel: "channels",
  window: "maintenance",
  schedule: "oncall",
};

/**
 * Sets the topic of a question that has none. For example, a check name asks for the status of the
 * check, and a past time asks for the status changes at that time.
 */
function addDefaultTopic(intent: Intent): Intent {
  if (intent.topic !== null) return intent;
  const { checks, ids, ambiguities, tags, places, incidents } = intent.subject;
  const [thing] = intent.subject.things;
  if (thing !== undefined && thingTopics[thing.kind] !== undefined) {
    return { ...intent, topic: thingTopics[thing.kind] ?? null };
  }
  if (incidents.length > 0 && checks.length === 0) return { ...intent, topic: "incident" };
  if (checks.length + ids.length + ambiguities.length > 0) return { ...intent, topic: "status" };
  if (tags.length + places.length > 0) return { ...intent, topic: "overview" };
  return intent.window === null ? intent : { ...intent, topic: "changes" };
}
