import type { Section } from "./guide.ts";

export interface Hit extends Section {
  /** A few words around the first that was sought. */
  readonly excerpt: string;
}

const maxHits = 30;
const maxWords = 8;
const excerptLength = 180;

function findWords(query: string): string[] {
  return [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])].slice(0, maxWords);
}

function cutExcerpt(text: string, words: readonly string[]): string {
  const plain = text.replace(/\s+/g, " ").trim();
  const lower = plain.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...places, lower.length) - 40);
  const start = from === 0 || places.length === 0 ? 0 : plain.indexOf(" ", from) + 1;
  const cut = plain.slice(start, start + excerptLength);
  return `${start > 0 ? "… " : ""}${cut}${start + cut.length < plain.length ? " …" : ""}`;
}

/** A word in a title counts most, a whole word more than a part of one. */
function weigh(section: Section, word: string): number {
  const title = `${section.title} ${section.page}`.toLowerCase();
  const text = section.text.toLowerCase();
  const isWhole = (where: string) =>
    new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, "u").test(where);
  if (section.title.toLowerCase() === word) return 20;
  if (isWhole(title)) return 10;
  if (title.includes(word)) return 6;
  if (isWhole(text)) return 3;
  return text.includes(word) ? 1 : 0;
}

/** Every word must be found; the best come first, and equal ones in their own order. */
export function searchSections(sections: readonly Section[], query: string): Hit[] {
  const words = findWords(query);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, weights: words.map((word) => weigh(section, word)) }))
    .filter(({ weights }) => weights.every((weight) => weight > 0))
    .map(({ section, weights }) => ({ section, sum: weights.reduce((a, b) => a + b, 0) }))
    .sort((one, two) => two.sum - one.sum)
    .slice(0, maxHits)
    .map(({ section }) => ({ ...section, excerpt: cutExcerpt(section.text, words) }));
}
