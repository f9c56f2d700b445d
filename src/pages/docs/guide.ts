import MarkdownParser, { type MarkdownIt, type Token } from "markdown-it";
import { escapeHtml, Markup } from "../html.ts";

export interface Section {
  /** Path and anchor of the section, such as `/docs/alerts#webhooks`. */
  readonly address: string;
  /** Title of the page that contains the section, such as "Alerts". */
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

export interface Guide {
  readonly name: string;
  readonly title: string;
  /** First sentence of the guide. */
  readonly about: string;
  readonly markup: Markup;
  readonly sections: readonly Section[];
}

/** Returns the anchor of a heading, as common Markdown hosts create it. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

/**
 * Converts a link to a Markdown file into a link to its page. For example, `alerts.md#webhooks`
 * becomes `/docs/alerts#webhooks`, and in a decision note, `0065-….md` becomes
 * `/docs/decisions/0065-…`.
 */
function toAddress(href: string, folder: string): string {
  const [, up, path, anchor = ""] =
    /^(\.\.\/)?((?:decisions\/)?[\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (path === undefined) return href;
  return `/docs/${up === undefined ? folder : ""}${path}${anchor}`;
}

function readHeading(tokens: readonly Token[], index: number): string {
  return (tokens[index + 1]?.children ?? []).map(({ content }) => content).join("");
}

/**
 * Returns the name of the guide that is being parsed. `readGuide` passes this name to the parser as
 * a property of markdown-it's `env` object.
 */
function nameIn(environment: Readonly<Record<string, unknown>> | undefined): string {
  return String(environment?.name ?? "");
}

function createParser(): MarkdownIt {
  const parser = new MarkdownParser("default", { html: false });
  parser.core.ruler.push("addresses", ({ tokens, env }) => {
    const name = nameIn(env);
    const folder = name.slice(0, name.lastIndexOf("/") + 1);
    for (const [index, token] of tokens.entries()) {
      if (token.type === "heading_open") token.attrSet("id", slugOf(readHeading(tokens, index)));
      for (const child of token.children ?? []) {
        if (child.type === "image") child.attrSet("src", `/docs/${child.attrGet("src")}`);
        if (child.type !== "link_open") continue;
        child.attrSet("href", toAddress(String(child.attrGet("href") ?? ""), folder));
      }
    }
  });
  // Code and tables can be wider than the screen. With `tabindex`, they can be scrolled by
  // keyboard.
  parser.renderer.rules.fence = (tokens, index) =>
    `<pre tabindex="0"><code>${escapeHtml(tokens[index]?.content ?? "")}</code></pre>\n`;
  parser.renderer.rules.table_open = () => '<div class="scroll" tabindex="0"><table>\n';
  parser.renderer.rules.table_close = () => "</table></div>\n";
  return parser;
}

const parser = createParser();

function textOf({ type, content, children }: Token): string {
  if (type === "fence" || type === "code_block") return content;
  return (children ?? []).map((child) => child.content).join(" ");
}

/**
 * Returns the first sentence of the first paragraph. Paragraphs in lists and quotes do not count.
 */
function readFirstSentence(tokens: readonly Token[]): string {
  const place = tokens.findIndex(({ type, level }) => type === "paragraph_open" && level === 0);
  const paragraph = tokens[place + 1];
  if (place < 0 || paragraph === undefined) return "";
  const text = (paragraph.children ?? [])
    .map(({ type, content }) => (type === "softbreak" ? " " : content))
    .join("");
  return (text.split(/(?<=[.:!?]) /)[0] ?? "").replace(/:$/, ".");
}

/** Parses a guide. Guides are trusted text, so tables and links to any URL are allowed. */
export function readGuide(name: string, source: string): Guide {
  const environment: Record<string, unknown> = { name };
  const tokens = parser.parse(source, environment);
  const title = readHeading(tokens, 0);
  const sections: { address: string; page: string; title: string; text: string }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const heading = readHeading(tokens, index);
      const address = sections.length === 0 ? `/docs/${name}` : `/docs/${name}#${slugOf(heading)}`;
      sections.push({ address, page: title, title: heading, text: "" });
    } else {
      const last = sections.at(-1);
      const isHeading = tokens[index - 1]?.type === "heading_open";
      if (last !== undefined && !isHeading) last.text += `${textOf(token)} `;
    }
  }
  const about = readFirstSentence(tokens);
  return {
    name,
    title,
    about,
    markup: new Markup(parser.renderer.render(tokens, parser.options, environment)),
    sections,
  };
}

export interface Hit extends Section {
  /** Excerpt of the section's text around the first match. */
  readonly excerpt: string;
}

const maxHits = 30;
const maxWords = 8;
const excerptLength = 180;
const wordPattern = /[\p{L}\p{N}_]+/gu;

/** Common words that are ignored in a query, because they do not identify its subject. */
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

/** Removes the ending of a word, so that "escalate" finds "escalation". */
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

/**
 * Returns the weight of a word in a section. A match in the title weighs more than a match in the
 * text. A word with the same stem weighs more than a longer word that contains the query's word.
 */
function weigh({ section, title, text, titleStems, textStems }: Indexed, word: string): number {
  const stem = findStem(word);
  if (section.title.toLowerCase() === word) return 20;
  if (titleStems.has(stem)) return 10;
  if (title.includes(word)) return 6;
  if (textStems.has(stem)) return 3;
  return text.includes(word) ? 1 : 0;
}

/**
 * Returns the sections that match a query. Sections with more of the query's words come first, then
 * those with the larger total weight.
 */
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
