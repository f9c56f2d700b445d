import type { KindProposal, ReadTarget, RejectedTarget } from "../../kinds/kit/agent.ts";
import { parseNumber, readNumber } from "../../platform/text/figures.ts";
import { pattern } from "../../platform/text/patterns.ts";
import { findUnitMs } from "../answers/times.ts";
import { foldName, foldText } from "../answers/words.ts";

export interface KnownPlace {
  readonly region: string;
  readonly name: string;
}

interface PlaceReading {
  readonly places: readonly string[];
  /** Slugs of private locations, as in "private location office-1". */
  readonly privatePlaces: readonly string[];
  readonly used: ReadonlySet<number>;
}

/** Finds locations in the words, by location code or by city. */
function readPlaceNames(words: readonly string[], known: readonly KnownPlace[]): PlaceReading {
  const places = new Set<string>();
  const privatePlaces = new Set<string>();
  const used = new Set<number>();
  for (let at = 0; at < words.length; at += 1) {
    const isPrivate =
      /^private$/i.test(words[at - 2] ?? "") && /^locations?$/i.test(words[at - 1] ?? "");
    if (isPrivate && /^[A-Za-z0-9][A-Za-z0-9-]{0,29}$/.test(words[at] ?? "")) {
      privatePlaces.add(words[at] ?? "");
      used.add(at);
      continue;
    }
    for (const { region, name } of known) {
      const length = countMatched(words, at, [region, name]);
      if (length === 0) continue;
      places.add(region);
      for (let index = at; index < at + length; index += 1) used.add(index);
    }
  }
  return { places: [...places], privatePlaces: [...privatePlaces], used };
}

function countMatched(words: readonly string[], at: number, names: readonly string[]): number {
  for (const name of names) {
    const city = foldName(name);
    const short = city
      .split(" ")
      .filter((part) => part.length > 1)
      .join(" ");
    for (const wanted of new Set([city, short])) {
      for (const length of [1, 2, 3]) {
        if (at + length > words.length || wanted === "") continue;
        if (foldName(words.slice(at, at + length).join(" ")) === wanted) return length;
      }
    }
  }
  return 0;
}

/** A check that the user requests. Fields that the user did not mention are `null` or empty. */
export interface CheckRequest {
  readonly targets: readonly ReadTarget[];
  readonly refused: readonly RejectedTarget[];
  /** Number of targets that the text announces, as in "these five hosts". */
  readonly announced: number | null;
  /** Settings that are specific to the check kind. Only the code of that kind reads them. */
  readonly own: object;
  readonly everySeconds: number | null;
  readonly places: readonly string[];
  readonly privatePlaces: readonly string[];
  readonly runsParallel: boolean;
  readonly tags: readonly string[];
  readonly name: string | null;
  readonly retries: number | null;
  readonly backoffSeconds: number | null;
  readonly failuresInRow: number | null;
  readonly minutesFailing: number | null;
  readonly isMuted: boolean;
  readonly isPaused: boolean;
  /** Whether the targets are added to those of earlier messages instead of replacing them. */
  readonly adds: boolean;
}

const maxTextLength = 2_000;

interface Text {
  /**
   * Words of the text. Punctuation inside a word is kept, because a target such as a URL contains
   * it.
   */
  readonly words: readonly string[];
  /** The text in lower case for pattern matching, with a space between each number and its unit. */
  readonly line: string;
}

function prepare(question: string): Text {
  const folded = foldText(question.slice(0, maxTextLength));
  const words = folded
    .replaceAll(/["'`]/g, " ")
    .split(/[\s,;]+/u)
    .map((word) =>
      word
        .replace(/^[(<]+/, "")
        .replace(/[)>.!?:]+$/, (marks) => (marks.startsWith("::") ? "::" : "")),
    )
    .filter((word) => word !== "");
  const line = ` ${folded
    .toLowerCase()
    .replaceAll(/(\d)(%|ms\b|s\b|sec\b|m\b|min\b|h\b)/g, "$1 $2")
    .replaceAll("percent", "%")
    .replaceAll(/[,;()!?]+|\.(?=\s|$)/g, " , ")
    .replaceAll(/\s+/g, " ")} `;
  return { words, line };
}

export function readCheckRequest(
  question: string,
  known: { readonly places: readonly KnownPlace[]; readonly isPlain: (word: string) => boolean },
  kind: KindProposal<ReadTarget, object>,
): CheckRequest {
  const { places, isPlain } = known;
  const { words, line } = prepare(question);
  const named = readNames(question);
  const taken = new Set<number>();
  for (const [index, word] of words.entries()) {
    if (named.words.has(word.toLowerCase())) taken.add(index);
  }
  const found = readPlaceNames(words, places);
  for (const index of found.used) taken.add(index);
  return {
    ...kind.readTargets({ words, taken, isPlain }),
    announced: readAnnounced(line, kind.nouns),
    own: kind.readSettings(line),
    everySeconds: readInterval(line),
    places: found.places,
    privatePlaces: found.privatePlaces,
    runsParallel: /\bin parallel\b|\bat once\b|\bsimultaneously\b|\bat the same time\b/.test(line),
    tags: named.tags,
    name: named.name,
    ...readRetries(line),
    ...readEscalation(line),
    isMuted: /\bmuted\b|\bwithout alerts\b|\bno alerts\b/.test(line),
    isPaused: /\b(?:paused|deactivated|disabled|switched off|not activated)\b/.test(line),
    adds: /\balso\b|\btoo\b|\bas well\b|\banother\b|\badditionally\b|^ add\b/.test(line),
  };
}

/** Reads the check interval from phrases such as "every 30 seconds" and "twice a minute". */
function readInterval(line: string): number | null {
  const fixed: readonly (readonly [RegExp, number])[] = [
    [/\btwice a minute\b/, 30],
    [/\bevery other minute\b/, 120],
    [/\bhalf[- ]hourly\b|\bevery half (?:an )?hour\b/, 1_800],
    [/\bhourly\b/, 3_600],
    [/\bdaily\b/, 86_400],
    [/\bminutely\b/, 60],
  ];
  const known = fixed.find(([pattern]) => pattern.test(line));
  if (known !== undefined) return known[1];
  // "remind me every 10 minutes" does not set the check interval, so reminders are removed first.
  const plain = line.replaceAll(/\bremind\w*(?: \w+){0,3} every \S+(?: \S+)?/g, " ");
  const match = pattern`
      \b(?:every|each|once every|once per|once an?|per|an? interval of
      |interval(?: of)?) (?:(\d+(?:\.\d+)?|\w+) )?(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?
      |h|days?|d)\b`.exec(plain);
  if (match === null) return null;
  const amount = match[1] === undefined ? 1 : parseNumber(match[1]);
  const ms = findUnitMs(match[2] ?? "");
  return amount === null || ms === null ? null : (amount * ms) / 1_000;
}

function readAnnounced(line: string, nouns: readonly string[]): number | null {
  const announced = `\\b(?:these|those|the|following|my|all) (\\w+) (?:${nouns.join("|")})\\b`;
  return readNumber(line, new RegExp(announced));
}

function readRetries(line: string): Pick<CheckRequest, "retries" | "backoffSeconds"> {
  if (/\b(?:no|without) retr(?:y|ies)\b|\bdo not retry\b|\bnever retry\b/.test(line)) {
    return { retries: 0, backoffSeconds: null };
  }
  const times = new Map([
    ["once", 1],
    ["twice", 2],
    ["thrice", 3],
  ]);
  const match = pattern`
      \bretry (once|twice|thrice|(?:up to )?\w+ times?)\b|\b(\d+|a|one|two|three|four
      |five) retr(?:y|ies)\b`.exec(line);
  const text = (match?.[1] ?? match?.[2] ?? "").replace(/^up to /, "").replace(/ times?$/, "");
  const retries = times.get(text) ?? parseNumber(text);
  const wait = pattern`
      \bretr\w*[^,]*?\b(?:after|every|wait(?:ing)?|in) (\d+) ?(s|sec|seconds?|m|min|minutes?)\b`.exec(
    line,
  );
  const ms = findUnitMs(wait?.[2] ?? "");
  const backoffSeconds = ms === null ? null : (Number(wait?.[1]) * ms) / 1_000;
  return { retries, backoffSeconds };
}

/** Reads when to alert, as in "after 3 failures in a row" and "once it fails for 10 minutes". */
function readEscalation(line: string): Pick<CheckRequest, "failuresInRow" | "minutesFailing"> {
  const row = pattern`
      \b(?:after|on) (\w+) (?:consecutive )?(?:failures?|failed runs?|failing runs?|fails?)\b
      |\b(\w+) failures in a row\b`;
  const minutes = pattern`
      \b(?:fail(?:s|ing|ed)?|down) for (?:more than |over |at least )?(\w+) (?:minutes?|mins?
      |m)\b|\bafter (\w+) (?:minutes?|mins?) (?:of failing|down|of downtime)\b`;
  return { failuresInRow: readNumber(line, row), minutesFailing: readNumber(line, minutes) };
}

interface Names {
  readonly tags: readonly string[];
  readonly name: string | null;
  /** Words of the check name and of the tags, which are not read as targets. */
  readonly words: ReadonlySet<string>;
}

/** Reads tags and the check name, as in "tagged prod and core" and "call it Edge". */
function readNames(question: string): Names {
  const text = foldText(question.slice(0, maxTextLength));
  const quoted = /\b(?:call(?:ed)?(?: it| them)?|named?(?: it| them)?) "([^"]{1,200})"/i.exec(text);
  // A name without quotation marks may have several words, as in "called Landing page".
  const bare =
    /\b(?i:call(?:ed)? (?:it|them)|named|name (?:it|them)|called) ((?:\p{Lu}[^\s,;"]{0,60})(?: (?!(?:every|from|with|and|tagged|at|in|on|for|fail|alert)\b)[^\s,;"]{1,60}){0,5}|[^\s,;"]{1,100})/u.exec(
      text,
    );
  const name = quoted?.[1]?.trim() || bare?.[1]?.replace(/[.!?]+$/, "") || null;
  const list =
    /\b(?:tags?|tagged|label(?:l?ed)?)(?: (?:them|it|as|with|of|:))*:? ((?:"[^"]+"|[^\s,;"]+)(?:(?:\s*,\s*(?:and )?| and )(?:"[^"]+"|[^\s,;"]+))*)/i.exec(
      text,
    );
  const stop = new Set(
    `page alert every from call name named if when retry with ping use over via at fail warn
    degraded send it them in`.split(/\s+/),
  );
  const tags: string[] = [];
  for (const part of (list?.[1] ?? "").split(/\s*,\s*(?:and )?| and /i)) {
    const tag = part
      .replaceAll('"', "")
      .replace(/[.!?]+$/, "")
      .trim();
    if (tag === "" || stop.has(tag.toLowerCase())) break;
    tags.push(tag);
  }
  const words = new Set([...tags, ...(name ?? "").split(/\s+/)].map((word) => word.toLowerCase()));
  return { tags: [...new Set(tags)].slice(0, 20), name, words };
}
