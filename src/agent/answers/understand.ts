import { readFileSync } from "node:fs";
import { join } from "node:path";
import { allKinds } from "../../kinds/index.ts";
import { Classifier, type Phrase, parsePhrases, type Ranking, splitWords } from "./classify.ts";
import {
  type FoundName,
  type Named,
  type NameIndex,
  type NameKind,
  noOrdinaryWords,
  type OrdinaryWords,
} from "./names.ts";
import { type Period, readTimes } from "./times.ts";
import { expandWords, foldText, isAlike } from "./words.ts";

export interface Turn {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** What a question is about, besides its intent. */
export interface Slots {
  /** The clause as typed. */
  readonly message: string;
  /** The clause in lower case, with placeholders for names and times, and without typos. */
  readonly text: string;
  readonly names: readonly FoundName[];
  /** Names that the question excludes, as in "everything except core-db". */
  readonly excluded: readonly FoundName[];
  readonly unknown: readonly string[];
  readonly periods: readonly Period[];
  readonly minutes: number | null;
}

export interface Understood {
  readonly intent: string;
  readonly p: number;
  readonly ranking: Ranking;
  readonly slots: Slots;
}

export interface Reader {
  readonly names: NameIndex;
  readonly nowMs: number;
  readonly offsetMs: number;
  /** The object on the user's screen, to which "this" refers. */
  readonly focus: Named | null;
}

/** Intents that change something or ask to change something. Only commands can have them. */
const changeIntents: ReadonlySet<string> = new Set(
  "run mute unmute acknowledge snooze page reassign escalate post create".split(" "),
);
export const isChange = (intent: string) => changeIntents.has(intent);
const isCommand = (intent: string) => isChange(intent) || intent.startsWith("do.");

/** A message that starts with one of these is a command. */
const commandVerbs = new Set(
  `mute unmute silence unsilence snooze ack acknowledge rerun trigger execute escalate reassign hand
   assign transfer wake create add invite delete remove restart reboot pause deactivate disable
   enable rename edit publish post set increase lower move revoke subscribe unsubscribe book cancel
   extend declare raise run retry recheck retest turn stop hush resume activate fix make start
   reset deploy kill drop swap override unpause`.split(/\s+/),
);
/** These start a command or are nouns, as in "page Anna" and "page of the shop". */
const possibleVerbs = new Set(
  `page call ping monitor watch check test open connect tag report take confirm notify alert change
   put build new send pass kick plan schedule update quiet give also execute announce remind set
   test build publish`.split(/\s+/),
);
const questionStart = new RegExp(
  "^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|am|did|does|do|has|have|had" +
    "|(?:can|could|will|would)(?! you)|may|should|shall|any|anything|anybody)\\b",
);
const polite = new RegExp(
  "^(?:(?:please|hey|hi|hello|ok|okay|now|just|then|kindly|and|also|(?:can|could|would|will) you" +
    "|i (?:want|need|would like) (?:you )?to|let us|go ahead and|you)\\s+)+",
);

function readData(name: string): string {
  return readFileSync(join(import.meta.dirname, name), "utf8");
}

interface Language {
  readonly phrases: readonly Phrase[];
  readonly classifier: Classifier;
  /** Words that are never unknown names, and to which typing mistakes are corrected. */
  readonly vocabulary: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

let language: Language | null = null;

/** Trains the classifier at first use, which takes a fraction of a second. */
export function loadLanguage(): Language {
  language ??= createLanguage(parsePhrases(readData("phrases.en.txt")));
  return language;
}

export function createLanguage(phrases: readonly Phrase[]): Language {
  const vocabulary = new Set(
    phrases.flatMap(({ text }) => splitWords(text)).filter((word) => /^[a-z]/.test(word)),
  );
  const words = new Set(readData("words.en.txt").split(/\s+/));
  return { phrases, classifier: new Classifier(phrases), vocabulary, words };
}

/** Returns whether a word is too ordinary to be the name of something. */
export function isPlainWord(word: string): boolean {
  const { vocabulary, words } = loadLanguage();
  return vocabulary.has(word) || words.has(word);
}

/** Returns the word of the phrases that was probably meant by a misspelt word, or `null`. */
function correct(word: string): string | null {
  if (!/^[a-z]{4,20}$/.test(word)) return null;
  for (const known of loadLanguage().vocabulary) {
    const isShort = known.length < 6 && known.length === word.length;
    const isSwapOnly = [...known].sort().join("") === [...word].sort().join("");
    if (known.length >= 4 && isAlike(word, known) && (!isShort || isSwapOnly)) return known;
  }
  return null;
}

const kindNames: ReadonlySet<string> = new Set(allKinds.flatMap(({ agent }) => agent.names));

const ordinaryWords: OrdinaryWords = {
  isCommon: isPlainWord,
  correct,
  isKind: (word) => kindNames.has(word),
};

const clauseEnd = new RegExp(
  "(?<=[.?!])\\s+(?=\\S)|" +
    ",?\\s+and\\s+(?=(?:what|which|who|when|where|why|how|is|are|did|since when)\\b)",
  "i",
);

/** Splits a message into at most three clauses: sentences, and questions joined by "and". */
function splitClauses(message: string): string[] {
  const isText = /^\W*(?:please )?(?:post|publish|update|create|add|ping|monitor|watch)\b/i.test(
    message,
  );
  if (isText) return [message];
  const clauses = message.split(clauseEnd).filter((clause) => /[\p{L}\p{N}]/u.test(clause));
  return clauses.slice(0, 3);
}

/** Returns the part of an order to post that is not the text to post. */
export function splitPost(message: string): { instruction: string; words: string | null } {
  const found = /^(.*?)(?::\s+|\bsaying (?:that )?|\bthat says )([\s\S]+)$/i.exec(message);
  const isPost = /^\W*(?:please )?(?:post|publish|update|add an update)\b/i.test(message);
  if (!isPost || found === null) return { instruction: message, words: null };
  return { instruction: found[1] ?? "", words: found[2]?.trim() ?? null };
}

function readClause(message: string, { names, nowMs, offsetMs }: Reader): Slots {
  const { instruction } = splitPost(message);
  const lower = expandWords(foldText(instruction.slice(0, 2_000)).toLowerCase());
  const isAhead =
    /\b(?:on call|duty|pager|maintenance|planned|shift)\b/.test(lower) &&
    !/\bw(?:as|ere)\b|\bdid\b/.test(lower);
  const { masked, periods, minutes } = readTimes(lower, { nowMs, offsetMs }, isAhead);
  const reading = names.find(masked, ordinaryWords);
  const { unknown, found } = reading;
  return {
    message,
    text: reading.masked,
    names: found.filter(({ isExcluded }) => !isExcluded),
    excluded: found.filter(({ isExcluded }) => isExcluded),
    unknown,
    periods,
    minutes,
  };
}

type Permission = (intent: string) => boolean;

/** Decides by the first words of a masked clause whether it can be a command. */
export function readForm(text: string): Permission {
  const bare = text.replace(polite, "");
  if (questionStart.test(text) || questionStart.test(bare)) return (intent) => !isCommand(intent);
  const [first = "", second = ""] = bare.split(/[\s,]+/);
  const isCall = first === "give" && (second === "me" || second === "us");
  if (commandVerbs.has(first)) {
    return (intent) => isCommand(intent) || intent === "draft" || intent === "other";
  }
  // A check to create needs a target, which is not a name of the account.
  const isCreation = /\bUNKNOWN\b|\b(?:checks?|monitor|heartbeat)\b/.test(bare);
  if (possibleVerbs.has(first) && !isCall) return (intent) => intent !== "create" || isCreation;
  return (intent) => !isCommand(intent);
}

const asksBack = /Which (?:one|check|schedule) do you mean\?|^Which one\?|About which check\?/m;
const filler = new RegExp(
  "\\b(?:and|ok|okay|what|about|how|from|the|for|on|in|at|of|only|now|then|please|as well|too" +
    "|check|service|group|one|ones|to|a|an|is|same|by)\\b" +
    "|\\b[A-Z]{3,}\\b|[^\\p{L}\\p{N}]+",
  "gu",
);
const pronoun =
  /\b(?:it|its|that|this|these|those|them|they|their|there|he|she|him|her|of them|ones?)\b/;
const pointing =
  /^(?:and|or|also|but|only|since|why|how long|how bad|compare|ok and|what about|how about)\b/;
/** Intents whose short questions are about what was asked before: "who was told", "since when". */
const cards = new Set(
  "status latency availability loss changes compare results deliveries channels settings draft post run mute unmute acknowledge snooze escalate".split(
    " ",
  ),
);
const ordinalPattern = new RegExp(
  "\\bthe (first|second|third|fourth|fifth|last)(?: (?:one|check))?\\b(?! \\w)" +
    "|^(?:number )?(\\d)$",
);
const ordinals = ["first", "second", "third", "fourth", "fifth"];

/** Returns the name that "the second one" means: an item of a list in the last answer. */
function readOrdinal(text: string, answer: string): string | null {
  const items = [...answer.matchAll(/^(?:- |\d+\. )`([^`]+)`/gm)].map(([, name = ""]) => name);
  const unique = [...new Set(items)];
  const found = ordinalPattern.exec(text.replace(/[?!.\s]+$/, ""));
  if (found === null || unique.length === 0) return null;
  const [, word = "", digit] = found;
  if (digit !== undefined) return unique[Number(digit) - 1] ?? null;
  return (word === "last" ? unique.at(-1) : unique[ordinals.indexOf(word)]) ?? null;
}

interface Last {
  readonly understood: Understood | null;
  readonly names: readonly FoundName[];
  readonly answer: string;
}

const toFound = (thing: Named): FoundName => ({
  things: [thing],
  typed: thing.name,
  isWhole: true,
  isExcluded: false,
});

/** Reads one clause in the light of the one before it. */
function understandClause(message: string, last: Last, reader: Reader): Understood {
  const slots = readClause(message, reader);
  const { classifier } = loadLanguage();
  const before = last.understood;
  const isAskedBack = asksBack.test(last.answer);
  const chosen = readOrdinal(slots.text, last.answer);
  const chosenNames =
    chosen === null ? [] : reader.names.find(`"${chosen.toLowerCase()}"`, noOrdinaryWords).found;
  const own = chosenNames.length > 0 ? chosenNames : slots.names;
  const rest = slots.text
    .replaceAll(/\bthe (?:first|second|third|fourth|fifth|last)\b/g, " ")
    .replace(filler, "");
  const keepsIntent = before !== null && (!isChange(before.intent) || isAskedBack);
  if (
    rest.replaceAll(/\d/g, "") === "" &&
    keepsIntent &&
    (own.length > 0 || slots.periods.length > 0)
  ) {
    const names = mergeNames(own, last.names);
    const periods = slots.periods.length > 0 ? slots.periods : before.slots.periods;
    const minutes = slots.minutes ?? before.slots.minutes;
    const text = `${before.slots.text} ${slots.text}`;
    return { ...before, slots: { ...slots, text, names, periods, minutes } };
  }
  const isAllowed = readForm(slots.text);
  const ranking = classifier.rank(slots.text, isAllowed);
  const [best = { intent: "other", p: 0 }] = ranking;
  const words = slots.text.split(" ").filter((word) => /\w/.test(word)).length;
  const isShort = words <= 4;
  const pointsBack =
    pronoun.test(slots.text) || pointing.test(slots.text) || (words <= 3 && cards.has(best.intent));
  const isWeak = best.p < 0.4 && isShort && before !== null && !isChange(before.intent);
  const intent = isWeak && pointsBack ? before.intent : best.intent;
  const isListed = own.every(({ things }) => things[0]?.kind === "location");
  const names =
    isListed && (pointsBack || (own.length > 0 && isShort)) ? mergeNames(own, last.names) : own;
  const p = isWeak && pointsBack ? 0.5 : best.p;
  const ofIncident = isAboutIncidents(intent) ? findIncidents(message, reader) : [];
  return {
    intent,
    p,
    ranking,
    slots: { ...slots, names: ofIncident.length > 0 ? ofIncident : names },
  };
}

const isAboutIncidents = (intent: string) => ["incidents", "draft", "post"].includes(intent);

/** Incidents that are named, even if a word fits the name of a check better. */
function findIncidents(message: string, reader: Reader): readonly FoundName[] {
  const names = reader.names.restrict("incident");
  return readClause(message, { ...reader, names }).names.filter(
    ({ things }) => things[0]?.kind === "incident",
  );
}

/** Own names, and those of the last turn if a name of the same sort is missing. */
function mergeNames(own: readonly FoundName[], before: readonly FoundName[]): readonly FoundName[] {
  const isPlace = ({ things }: FoundName) => things[0]?.kind === "location";
  const hasThing = own.some((name) => !isPlace(name));
  return hasThing ? own : [...before.filter((name) => !isPlace(name)), ...own];
}

/** Names that an answer is about, if it lists exactly one. */
function nameOfAnswer(answer: string, index: NameIndex): readonly FoundName[] {
  const items = [...answer.matchAll(/^- (?:[a-z ]+ )?`([^`]+)`/gm)].map(([, name = ""]) => name);
  const [only, ...others] = new Set(items);
  if (only === undefined || others.length > 0) return [];
  return index
    .find(`"${only.toLowerCase()}"`, noOrdinaryWords)
    .found.filter(({ isWhole }) => isWhole);
}

const maxTurns = 10;

/** Understands the last message of a conversation. The earlier ones say what it refers to. */
export function understand(turns: readonly Turn[], reader: Reader): readonly Understood[] {
  const recent = turns.slice(-maxTurns);
  let last: Last = {
    understood: null,
    names: reader.focus === null ? [] : [toFound(reader.focus)],
    answer: "",
  };
  let understood: Understood[] = [];
  for (const { role, text } of recent) {
    if (role === "assistant") {
      const names = last.names.length > 0 ? last.names : nameOfAnswer(text, reader.names);
      last = { ...last, answer: text, names };
      continue;
    }
    understood = [];
    for (const clause of splitClauses(text)) {
      const one = understandClause(clause, last, reader);
      const isTalk = ["thanks", "greeting", "confirm"].includes(one.intent);
      if (!isTalk) last = { understood: one, names: one.slots.names, answer: last.answer };
      understood.push(one);
    }
  }
  const distinct = new Map(
    understood.map((one) => [
      `${one.intent} ${one.slots.names.map(({ typed }) => typed).join()} ${one.slots.periods.map(({ label }) => label).join()}`,
      one,
    ]),
  );
  return [...distinct.values()];
}

/** Kinds of the named things, without locations. */
export function kindsOf({ names }: Slots): ReadonlySet<NameKind> {
  return new Set(
    names
      .flatMap(({ things }) => things.slice(0, 1).map(({ kind }) => kind))
      .filter((kind) => kind !== "location"),
  );
}
