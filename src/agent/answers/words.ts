import { BoundedMap } from "../../platform/bounded-map.ts";
import { allowedSlips, measureEditDistance } from "../../platform/text/compare.ts";

/** Invisible characters, which are removed from a question. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

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

/** Cache of normalised names, because each question is compared with the same names. */
const foldedNames = new BoundedMap<string, string>(5_000);

/** Normalises a name for comparisons: only letters, digits and spaces, without accents. */
export function foldName(name: string): string {
  const known = foldedNames.get(name);
  if (known !== undefined) return known;
  const folded = foldText(name)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  if (name.length <= 300) foldedNames.set(name, folded);
  return folded;
}

/** Abbreviations of chats, which the classifier would otherwise have to learn one by one. */
const shortForms: Readonly<Record<string, string>> = {
  "can't": "can not",
  "won't": "will not",
  whats: "what is",
  wheres: "where is",
  whos: "who is",
  whens: "when is",
  whys: "why is",
  thats: "that is",
  theres: "there is",
  im: "i am",
  gimme: "give me",
  wanna: "want to",
  rn: "now",
  pls: "please",
  plz: "please",
  u: "you",
  r: "are",
  y: "why",
  wtf: "what",
  wat: "what",
  hows: "how is",
  oncall: "on call",
  maint: "maintenance",
  "on-call": "on call",
  n: "n",
};

const endings: Readonly<Record<string, string>> = {
  "n't": " not",
  "'s": " is",
  "'re": " are",
  "'ve": " have",
  "'ll": " will",
  "'d": " would",
  "'m": " am",
};

/** Writes out contractions and abbreviations of a question in lower case. */
export function expandWords(text: string): string {
  return text
    .replaceAll(/(?<=[a-z])(?:n't|'s|'re|'ve|'ll|'d|'m)\b/g, (ending) => endings[ending] ?? "")
    .replaceAll(
      /\b(?:is|are|was|were|do|does|did|has|have|could)nt\b/g,
      (word) => `${word.slice(0, -2)} not`,
    )
    .replaceAll(/(?<![\w.-])[a-z]+(?:['-][a-z]+)?(?![\w.-])/g, (word) =>
      Object.hasOwn(shortForms, word) ? (shortForms[word] ?? word) : word,
    );
}

/** Returns whether two words differ by a typing mistake at most: one from 5 letters, two from 8. */
export function isAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const slips = Math.min(allowedSlips(one.length), allowedSlips(other.length));
  if (slips === 0 || one.charAt(0) !== other.charAt(0)) {
    return one.length >= 4 && one.charAt(0) === other.charAt(1) && isSwapped(one, other);
  }
  return measureEditDistance(one, other, slips) <= slips;
}

function isSwapped(one: string, other: string): boolean {
  return one === `${other.charAt(1)}${other.charAt(0)}${other.slice(2)}`;
}
