import { pattern } from "../../platform/text/patterns.ts";
import { findKindByName } from "../kinds.ts";
import { findElsewhere } from "./elsewhere.ts";
import { correctWord, findMeaning, isOrdinary as isLexical, isPlain } from "./lexicon.ts";
import { listSpokenKinds } from "./name-match.ts";
import { emptySubject, type Mark, readSubject, type Subject } from "./subject.ts";
import { readTime, readTimeInZone, type TimeWindow } from "./time-window.ts";
import { decideTopic, type Topic } from "./topic.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { foldName, readWords, type Word } from "./words.ts";

interface KindReading {
  readonly checkType: string | null;
  /** Indexes of the words that name the check kind; empty if no kind is named. */
  readonly used: ReadonlySet<number>;
}

/** Reads the name of a check kind, as in "heartbeat checks" or "TCP monitors". */
function readKind(texts: readonly string[]): KindReading {
  for (const [index, text] of texts.entries()) {
    const isOfChecks = /^(?:checks|monitors)$/.test(texts[index + 1] ?? "");
    const checkType = isOfChecks ? findKindByName(text) : null;
    if (checkType !== null) return { checkType, used: new Set([index]) };
  }
  return { checkType: null, used: new Set() };
}

export type LatencyFigure = "avg" | "p50" | "p95" | "p99" | "max";
export type StatusName = "passing" | "degraded" | "failing" | "unknown";

/** The meaning of one clause of a question. */
export interface Intent {
  /** Topic of the clause. `null` if the clause has none; the previous turn may then supply it. */
  readonly topic: Topic | null;
  readonly subject: Subject;
  readonly window: TimeWindow | null;
  readonly second: TimeWindow | null;
  readonly isNow: boolean;
  readonly figure: LatencyFigure | null;
  readonly wantsFastest: boolean;
  /** Requested number of results, as in "top 10". */
  readonly count: number | null;
  /** Check kind to which the question is limited, as in "heartbeat checks". */
  readonly checkType: string | null;
  readonly statuses: readonly StatusName[];
  readonly isMuted: boolean;
  readonly isPaused: boolean;
  readonly wantsLatest: boolean;
  readonly wantsOpen: boolean;
  readonly wantsNext: boolean;
  /**
   * Position in a list that a phrase such as "the second one" selects, starting at 1; -1 for the
   * last.
   */
  readonly ordinal: number | null;
  /** Whether the clause refers to earlier messages, with words such as "it" or "what about". */
  readonly leans: boolean;
  /** The clause as typed, without punctuation. */
  readonly text: string;
  /** Text of the whole message, with punctuation. */
  readonly message: string;
  /** The clause in canonical words, which the topic rules match. */
  readonly canonical: string;
}

export interface Reading {
  readonly clauses: readonly Intent[];
  /** Whether the question may contain a resource name, so that the names must be fetched. */
  readonly needsNames: boolean;
}

const maxClauses = 3;

/** Words that start a new question if they follow "and" or a similar word. */
const clauseOpeners = new Set(
  `what which how who when why where is are was were did does do has have can could show list give
  compare summarise summarize draft mute unmute run post tell explain any`.split(/\s+/),
);

export function readQuestion(text: string, nowMs: number, vocabulary: Vocabulary): Reading {
  const typed = readWords(splitPost(text).instruction);
  const names = collectNameParts(vocabulary);
  const words = typed.map((word) => correct(word, names));
  const clauses = splitClauses(words)
    .map((clause) => ({ ...readClause(clause, nowMs, vocabulary), message: text }))
    .reduce<Intent[]>(joinClause, []);
  const [first] = clauses;
  if (first !== undefined && findElsewhere(text) !== null) {
    return { clauses: [{ ...first, topic: "elsewhere" }], needsNames: false };
  }
  if (clauses.length === 0) clauses.push({ ...readClause([], nowMs, vocabulary), message: text });
  // If a resource kind is mentioned, an ordinary word may be a name, as in "the network group".
  const isNamed = listSpokenKinds(words.map(({ text: word }) => word)).size > 0;
  const needsNames =
    isNamed ||
    typed.some((word) => word.isQuoted || !isOrdinary(word.text, nowMs)) ||
    mayNameByCommonWord(words);
  return { clauses: clauses.slice(0, maxClauses), needsNames };
}

const beforeNames = new Set("is are was were the our my of in on for with behind".split(" "));

/**
 * Returns whether a common word is in a position where a name is expected, as in "is search ok?".
 */
function mayNameByCommonWord(words: readonly Word[]): boolean {
  return words.some(({ text }, index) => {
    const before = words[index - 1]?.text ?? "";
    return beforeNames.has(before) && isPlain(text) && !isLexical(text);
  });
}

/**
 * Splits a message into the instruction and the text to post, which follows a colon or "saying".
 * The text to post must not be read as part of the question.
 */
export function splitPost(text: string): {
  readonly instruction: string;
  readonly words: string | null;
} {
  const match =
    /^(.{0,60}\b(?:post|publish)\b.{0,200}?)(?::\s|\bsaying\b(?: that\b)?:?)(.*)$/is.exec(text);
  const words = match?.[2]?.trim() ?? "";
  if (match === null || words.length < 3) return { instruction: text, words: null };
  return { instruction: match[1] ?? text, words };
}

function isOrdinary(word: string, nowMs: number): boolean {
  return isPlain(word) || readTime(["at", word], nowMs).used.has(1);
}

/** Returns all words of resource names. These words are never corrected as typos. */
function collectNameParts(vocabulary: Vocabulary): ReadonlySet<string> {
  const names = [
    ...vocabulary.checks.flatMap(({ name, target, tags }) => [name, target, ...tags]),
    ...vocabulary.places.flatMap(({ region, name }) => [region, name]),
    ...vocabulary.incidents.map(({ name }) => name),
    ...vocabulary.things.map(({ name }) => name),
  ];
  return new Set(names.flatMap((name) => foldName(name).split(" ")));
}

function correct(word: Word, names: ReadonlySet<string>): Word {
  if (word.isQuoted || names.has(word.text)) return word;
  return { ...word, text: correctWord(word.text) };
}

/**
 * Splits a question into clauses: after each sentence, and where "and" or a similar word starts a
 * new question.
 */
function splitClauses(words: readonly Word[]): Word[][] {
  const clauses: Word[][] = [[]];
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    const isJoined = before !== undefined && ["and", "also", "plus", "then"].includes(before.text);
    const opens = word.opensSentence || (isJoined && clauseOpeners.has(word.text));
    if (opens && (clauses.at(-1)?.length ?? 0) > 0) clauses.push([]);
    clauses.at(-1)?.push(word);
  }
  return clauses.filter((clause) => clause.length > 0);
}

/** Appends a clause, or merges it with the previous clause if one of the two has no topic. */
function joinClause(clauses: Intent[], next: Intent): Intent[] {
  const before = clauses.at(-1);
  if (before === undefined) return [next];
  // After "post" or "create", further clauses belong to the text to post or to the check to create.
  if (before.topic === "post" || before.topic === "create") return clauses;
  const isSmallTalk = (intent: Intent) =>
    intent.topic === "greeting" || intent.topic === "thanks" || intent.topic === "help";
  if (isSmallTalk(next)) return clauses;
  if (isSmallTalk(before) && (next.topic !== null || next.leans)) {
    return [...clauses.slice(0, -1), next];
  }
  if (next.topic === null && !isSmallTalk(before))
    return [...clauses.slice(0, -1), fill(before, next)];
  if (before.topic === null) return [...clauses.slice(0, -1), fill(next, before)];
  const isSame = before.topic === next.topic && isEmptySubject(next.subject);
  if (isSame) return [...clauses.slice(0, -1), fill(before, next)];
  return [...clauses, next];
}

/** Fills the empty fields of an intent with those of another intent. */
export function fill(intent: Intent, from: Intent): Intent {
  return {
    ...intent,
    topic: intent.topic ?? from.topic,
    subject: isEmptySubject(intent.subject) ? from.subject : intent.subject,
    window: intent.window ?? from.window,
    second: intent.second ?? (intent.window === null ? from.second : null),
    isNow: intent.isNow,
    figure: intent.figure ?? from.figure,
    statuses: intent.statuses.length > 0 ? intent.statuses : from.statuses,
    ordinal: intent.ordinal ?? from.ordinal,
    wantsLatest: intent.wantsLatest || from.wantsLatest,
    wantsOpen: intent.wantsOpen || from.wantsOpen,
    text: `${intent.text} ${from.text}`.trim(),
  };
}

export function isEmptySubject(subject: Subject): boolean {
  return Object.values(subject).every((list) => list.length === 0);
}

function readClause(
  words: readonly Word[],
  nowMs: number,
  vocabulary: Vocabulary,
): Omit<Intent, "message"> {
  const texts = words.map(({ text, isQuoted }) => (isQuoted ? "" : text));
  const time = readTimeInZone(texts, nowMs, vocabulary.zoneOffsetMs ?? 0);
  const kind = readKind(texts);
  const read = readSubject(words, new Set([...time.used, ...kind.used]), vocabulary);
  const { marks } = read;
  const subject = texts.some((text) => severalWords.has(text))
    ? takeAll(read.subject)
    : read.subject;
  const exact = describe(words, marks, { timed: time.used, left: kind.used })
    .replaceAll(unreachable, "DOWN")
    .replaceAll(unchecked, "UNCHECKED")
    .replaceAll(onCall, "ONCALL");
  // Most topic rules treat services and groups (SCOPE) like checks (NAME).
  const canonical = exact.replaceAll("SCOPE", "NAME");
  const has = (pattern: RegExp) => pattern.test(canonical);
  return {
    topic: decideTopic(exact),
    subject: words.length === 0 ? emptySubject : subject,
    window: time.window,
    second: time.second,
    isNow: time.isNow,
    figure: readFigure(canonical),
    wantsFastest: has(/\bFAST\b/),
    count: readCount(canonical),
    checkType: kind.checkType,
    statuses: readStatuses(canonical),
    isMuted: has(/\bMUTED\b/),
    isPaused: has(/\b(?:PAUSED|UNCHECKED)\b/),
    wantsLatest: has(/\b(?:LATEST|OPEN)\b/),
    wantsOpen: texts.some((text) => /^(?:open|ongoing|current|active|unresolved)$/.test(text)),
    wantsNext: has(/\bNEXT\b/),
    ordinal: readOrdinal(texts),
    leans: leansBack(canonical),
    text: words.map(({ typed }) => typed).join(" "),
    canonical,
  };
}

/**
 * Returns whether a clause refers to earlier messages. The "there" in "was there an incident" is
 * not such a reference.
 */
function leansBack(canonical: string): boolean {
  const pointing = canonical.replaceAll(
    /\b(?:is|are|was|were|been|be) (?:UP )?there\b|\bthere (?:is|are|was|were|has|have)\b/g,
    "",
  );
  return pattern`
    \b(?:it|its|that|there|them|they|those|these|this|one)\b|^(?:ALSO|what about|how about
    |or)\b`.test(pointing);
}

/** Matches phrases such as "cannot be reached", "not responding" and "not up". */
const unreachable =
  /\bNOT (?:\w+ )?(?:reached|reachable|responding|respond|answering|answer|resolving|UP)\b/g;

/** Matches phrases such as "what is not being checked". */
const unchecked = /\bNOT (?:being )?(?:checked|monitored|watched)\b/g;

/** Matches "on call" and "on duty". */
const onCall = /\bon (?:call|ONCALL)\b/g;

const severalWords = new Set(["checks", "all", "both", "every", "each", "hosts", "any", "ones"]);
const maxTaken = 10;

/**
 * Resolves an ambiguous phrase such as "the edge checks" to all of its matches, so that the user
 * need not choose. Phrases with very many matches stay ambiguous.
 */
function takeAll(subject: Subject): Subject {
  const taken = subject.ambiguities.filter(({ candidates }) => candidates.length <= maxTaken);
  const checks = [...subject.checks, ...taken.flatMap(({ candidates }) => candidates)];
  const ambiguities = subject.ambiguities.filter((ambiguity) => !taken.includes(ambiguity));
  return { ...subject, checks: checks.slice(0, maxTaken), ambiguities };
}

function describe(
  words: readonly Word[],
  marks: readonly Mark[],
  { timed, left }: { readonly timed: ReadonlySet<number>; readonly left: ReadonlySet<number> },
): string {
  const parts: string[] = [];
  for (const [index, word] of words.entries()) {
    if (left.has(index)) continue;
    const mark = marks[index] ?? null;
    const part = timed.has(index) ? "TIME" : (mark ?? findMeaning(word.text) ?? word.text);
    const repeats = part === parts.at(-1) && (timed.has(index) || mark !== null);
    if (!repeats) parts.push(part);
  }
  return parts.join(" ");
}

function readCount(canonical: string): number | null {
  const text = pattern`
    \b(?:top|first|bottom|SLOW|FAST) (\d{1,3})\b|\b(\d{1,3}) (?:SLOW|FAST)\b
    |\bLATEST (\d{1,3}) (?:RESULT|RUN)\b`.exec(canonical);
  const count = Number(text?.slice(1).find((group) => group !== undefined) ?? 0);
  return count > 0 ? Math.min(count, 20) : null;
}

function readFigure(canonical: string): LatencyFigure | null {
  const figures: readonly (readonly [RegExp, LatencyFigure])[] = [
    [/\bNINETYNINE\b/, "p99"],
    [/\bNINETYFIVE\b/, "p95"],
    [/\bMEDIAN\b/, "p50"],
    [/\bAVERAGE\b/, "avg"],
    [/\bMAXIMUM\b/, "max"],
  ];
  return figures.find(([pattern]) => pattern.test(canonical))?.[1] ?? null;
}

function readStatuses(canonical: string): StatusName[] {
  const all: readonly (readonly [RegExp, StatusName])[] = [
    [/\bDOWN\b/, "failing"],
    [/\bDEGRADED\b/, "degraded"],
    [/\b(?:UP|RECOVER)\b/, "passing"],
    [/\bUNKNOWN\b/, "unknown"],
  ];
  return all.filter(([pattern]) => pattern.test(canonical)).map(([, status]) => status);
}

const ordinals: Readonly<Record<string, number>> = {
  first: 1,
  "1st": 1,
  second: 2,
  "2nd": 2,
  third: 3,
  "3rd": 3,
  fourth: 4,
  "4th": 4,
  fifth: 5,
  "5th": 5,
};

/**
 * Reads which listed option a short message selects, such as "the second one", "2", "number 3" or
 * "the last". Longer messages select no option.
 */
function readOrdinal(texts: readonly string[]): number | null {
  if (texts.length > 8) return null;
  for (const text of texts) {
    if (Object.hasOwn(ordinals, text)) return ordinals[text] ?? null;
    if (/^[1-9]$/.test(text) && texts.length <= 3) return Number(text);
  }
  const isShort = texts.length <= (texts.includes("one") ? 5 : 3);
  return texts.includes("last") && isShort ? -1 : null;
}
