import { BoundedMap } from "../../platform/bounded-map.ts";
import { pattern } from "../../platform/text/patterns.ts";

/** One word of a question. */
export interface Word {
  /** Text of the word in lower case, without surrounding punctuation. */
  readonly text: string;
  /** The word as the user typed it, without surrounding punctuation. */
  readonly typed: string;
  /** Whether the word was in quotation marks or after "#". Such a word is always read as a name. */
  readonly isQuoted: boolean;
  /** Whether the word is the first of a sentence. */
  readonly opensSentence: boolean;
}

const maxQuestionLength = 1_000;
const maxWords = 100;

const contractions = new Map(
  Object.entries({
    "can't": "can not",
    "won't": "will not",
    "shan't": "shall not",
    "let's": "let us",
    "y'all": "you all",
    // Contractions that are often typed without an apostrophe, such as "whats".
    whats: "what is",
    wheres: "where is",
    whos: "who is",
    hows: "how is",
    whens: "when is",
    whys: "why is",
    thats: "that is",
    theres: "there is",
    isnt: "is not",
    arent: "are not",
    wasnt: "was not",
    werent: "were not",
    dont: "do not",
    doesnt: "does not",
    didnt: "did not",
    hasnt: "has not",
    havent: "have not",
    cant: "can not",
    couldnt: "could not",
    wont: "will not",
    im: "i am",
    ive: "i have",
    gimme: "give me",
    wanna: "want to",
    gonna: "going to",
    yday: "yesterday",
    yest: "yesterday",
    tmrw: "tomorrow",
    rn: "right now",
    maint: "maintenance",
    "w/": "with",
  }),
);

/** Punctuation around a word that is not part of the word: `opening` before, `closing` after it. */
const opening = /^[\s.,!?;:()[\]{}<>"'…*_~|¿¡=#-]+/u;
const closing = /[\s.,!?;:()[\]{}<>"'…*_~|¿¡=-]+$/u;
const sentenceEnd = /[.!?…]["')\]]*$/u;
/** Invisible characters, which are removed from the text. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const unitAfterNumber = pattern`
  ^(\d+(?:\.\d+)?)
  (%|ms|millis|s|sec|secs|seconds?|m|min|mins|minutes?|h|hr|hrs|hours?|d|days?|w|weeks?)$`;

export function foldText(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[\r\n\t\v\f\u2028\u2029]/gu, " ")
    .replace(invisible, "")
    .replace(/[\u2018\u2019\u201A\u2032\u00B4]/gu, "'")
    .replace(/[\u201C\u201D\u201E\u00AB\u00BB\u2033]/gu, '"')
    .replace(/[\u2010\u2011\u2012]/gu, "-")
    .replace(/[\u2013\u2014\u2015]/gu, " ");
}

/** Splits a question into words, up to a maximum number of words. */
export function readWords(question: string): Word[] {
  const text = foldText(question.slice(0, maxQuestionLength)).replaceAll("`", '"');
  const words: Word[] = [];
  let opensSentence = true;
  for (const { content, isQuoted } of splitQuotes(text)) {
    if (isQuoted) {
      const typed = content.trim();
      if (typed === "") continue;
      words.push({ text: typed.toLowerCase(), typed, isQuoted: true, opensSentence });
      opensSentence = false;
      continue;
    }
    for (const chunk of content.split(/[\s,;]+/u)) {
      // "#on-call" is always a name, but "on-call" alone may consist of ordinary words.
      const isTagged = /^#\p{L}/u.test(chunk);
      for (const typed of splitChunk(chunk)) {
        words.push({ text: typed.toLowerCase(), typed, isQuoted: isTagged, opensSentence });
        opensSentence = false;
      }
      // The full stop in "N. Virginia" does not end a sentence.
      if (sentenceEnd.test(chunk) && !/^[A-Z]\.$/.test(chunk)) opensSentence = true;
    }
    if (words.length > maxWords) break;
  }
  return words.slice(0, maxWords);
}

function splitQuotes(text: string): { content: string; isQuoted: boolean }[] {
  const parts = text.split('"');
  // An unpaired quotation mark is ignored.
  if (parts.length % 2 === 0) {
    const last = parts.pop() ?? "";
    const before = parts.pop() ?? "";
    parts.push(`${before} ${last}`);
  }
  return parts.map((content, index) => ({ content, isQuoted: index % 2 === 1 }));
}

function splitChunk(chunk: string): string[] {
  if (/^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*[.,!?;)\]]*$/i.test(chunk)) {
    return [chunk.replace(/[.!?)\]]+$/, "")];
  }
  const bare = chunk.replace(opening, "").replace(closing, "");
  if (bare === "") return chunk.includes("%") ? ["%"] : [];
  const lower = bare.toLowerCase();
  const expanded = contractions.get(lower);
  if (expanded !== undefined) return expanded.split(" ");
  if (bare.includes("'")) return splitApostrophe(bare);
  const measured = unitAfterNumber.exec(lower);
  if (measured !== null) return [measured[1] ?? "", measured[2] ?? ""];
  // Words that are joined by a slash are split, but a URL or a date is not.
  if (/^[a-z]+(?:\/[a-z]+)+$/i.test(bare)) return bare.split("/");
  return [bare];
}

function splitApostrophe(bare: string): string[] {
  const [, stem = "", ending = ""] = /^(.*?)'([a-z]*)$/i.exec(bare) ?? [null, bare, ""];
  const end = ending.toLowerCase();
  const isQuestionWord = /^(?:what|where|who|when|why|how|that|there|it|he|she|here)$/i.test(stem);
  if (end === "s") return isQuestionWord ? [stem, "is"] : [stem];
  if (end === "t" && /n$/i.test(stem)) return [stem.slice(0, -1), "not"].filter(Boolean);
  if (end === "re") return [stem, "are"];
  if (end === "ve") return [stem, "have"];
  if (end === "ll") return [stem, "will"];
  if (end === "d") return [stem, "would"];
  if (end === "m") return [stem, "am"];
  return [bare.replaceAll("'", "")].filter(Boolean);
}

const plainAscii = /^[\x20-\x7e]*$/;
/** Cache of normalised names, because each question is compared with the same names. */
const foldedNames = new BoundedMap<string, string>(5_000);

/** Normalises a name for comparisons: only letters, digits and spaces, without accents. */
export function foldName(name: string): string {
  const known = foldedNames.get(name);
  if (known !== undefined) return known;
  const bare = plainAscii.test(name)
    ? name
    : foldText(name).normalize("NFKD").replace(/\p{M}/gu, "");
  const folded = bare
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  if (name.length <= 300) foldedNames.set(name, folded);
  return folded;
}
