import type { Section } from "./guide.ts";

export interface Hit extends Section {
  /** A few words around the first match. */
  readonly excerpt: string;
}

const maxHits = 30;
const maxWords = 8;
const excerptLength = 180;
const wordPattern = /[\p{L}\p{N}_]+/gu;

/** Words that do not identify the subject of a question. */
const stopWords = new Set(
  (
    "a an and are as at be by can do does for from get how i if in into is it its me my of on or our " +
    "so that the their there this to up use want was we what when where which why will with you your"
  ).split(" "),
);

const endings = [
  "ations",
  "ation",
  "ators",
  "ator",
  "ating",
  "ated",
  "ates",
  "ate",
  "ions",
  "ion",
  "ings",
  "ing",
  "ers",
  "er",
  "ies",
  "ied",
  "ed",
  "es",
  "s",
  "y",
  "e",
];
const minStemLength = 3;

/**
 * Returns a word without its ending, so that "escalate" finds "escalation" and "alerts" finds
 * "alerting".
 */
export function findStem(word: string): string {
  const ending = endings.find(
    (one) => word.endsWith(one) && word.length - one.length >= minStemLength,
  );
  return ending === undefined ? word : word.slice(0, -ending.length);
}

function findWords(query: string): string[] {
  const words = query.toLowerCase().match(wordPattern) ?? [];
  const significant = words.filter((word) => !stopWords.has(word));
  return [...new Set(significant.length === 0 ? words : significant)].slice(0, maxWords);
}

function cutExcerpt(text: string, words: readonly string[]): string {
  const plain = text.replace(/\s+/g, " ").trim();
  const lower = plain.toLowerCase();
  const places = words.map((word) => lower.indexOf(findStem(word))).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...places, lower.length) - 40);
  const start = from === 0 || places.length === 0 ? 0 : plain.indexOf(" ", from) + 1;
  const cut = plain.slice(start, start + excerptLength);
  return `${start > 0 ? "… " : ""}${cut}${start + cut.length < plain.length ? " …" : ""}`;
}

interface Indexed {
  readonly section: Section;
  readonly title: string;
  readonly text: string;
  readonly titleStems: ReadonlySet<string>;
  readonly textStems: ReadonlySet<string>;
}

function listStems(text: string): Set<string> {
  return new Set((text.match(wordPattern) ?? []).map(findStem));
}

function indexSection(section: Section): Indexed {
  const title = `${section.title} ${section.page}`.toLowerCase();
  const text = section.text.toLowerCase();
  return { section, title, text, titleStems: listStems(title), textStems: listStems(text) };
}

/** A match in a title counts most; the same stem counts more than a part of another word. */
function weigh({ section, title, text, titleStems, textStems }: Indexed, word: string): number {
  const stem = findStem(word);
  if (section.title.toLowerCase() === word) return 20;
  if (titleStems.has(stem)) return 10;
  if (title.includes(word)) return 6;
  if (textStems.has(stem)) return 3;
  return text.includes(word) ? 1 : 0;
}

/** Returns sections with most of the words first, then by weight. */
export function searchSections(sections: readonly Section[], query: string): Hit[] {
  const words = findWords(query);
  if (words.length === 0) return [];
  return sections
    .map((section) => {
      const indexed = indexSection(section);
      const weights = words.map((word) => weigh(indexed, word));
      const found = weights.filter((weight) => weight > 0).length;
      return { section, found, sum: weights.reduce((a, b) => a + b, 0) };
    })
    .filter(({ found }) => found > 0)
    .sort((one, two) => two.found - one.found || two.sum - one.sum)
    .slice(0, maxHits)
    .map(({ section }) => ({ ...section, excerpt: cutExcerpt(section.text, words) }));
}
