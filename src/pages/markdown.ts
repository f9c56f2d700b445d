import { setImmediate } from "node:timers/promises";
import MarkdownParser, { type MarkdownIt, type Token } from "markdown-it";
import { BoundedMap } from "../platform/bounded-map.ts";
import { escapeHtml, Markup } from "./html.ts";

const maxSourceLength = 20_000;
/**
 * Limits for two kinds of marks in a text: characters that may start a Markdown construct, and
 * URLs. Parsing such a character takes as long as parsing a hundred letters, and parsing a URL
 * takes as long as parsing a thousand letters. Even a long text contains only a few hundred such
 * characters. A text above a limit is shown without formatting.
 */
const limitedMarks = [
  { mark: /[[*_~`<>&!\\\n]/g, limit: 4_000 },
  { mark: /:\/\/|mailto:/gi, limit: 400 },
] as const;
const rememberedLength = 16_000_000;
/** Number of characters to render before the event loop may run other work. */
const turnLength = 20_000;
/**
 * Maximum nesting, enough for a list in a list in a quote. The limit protects against hostile
 * texts.
 */
const maxNesting = 20;
/** Number of levels by which headings are lowered, because the page has its own headings. */
const headingShift = 3;
const allowedLink = /^(?:https?:\/\/|mailto:)/i;

function createParser(): MarkdownIt {
  const parser = new MarkdownParser("default", {
    html: false,
    linkify: true,
    breaks: true,
    maxNesting,
  });
  // Disables images, which would send requests to other hosts. Disables tables, whose markup can
  // become far larger than their source.
  parser.disable(["image", "table"]);
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  for (const schema of ["ftp:", "//"]) parser.linkify.add(schema, null);
  parser.validateLink = (url) => allowedLink.test(url.trim());
  parser.renderer.rules.link_open = (tokens, index, options, _env, renderer) => {
    const link = tokens[index];
    // The link `[text]()` has no target. With an empty `href`, the link would lead to the page
    // itself, so the attribute is removed.
    if (link?.attrGet("href") === "") link.attrs = null;
    link?.attrSet("rel", "nofollow noopener noreferrer");
    return renderer.renderToken(tokens, index, options);
  };
  parser.core.ruler.push("shift_headings", ({ tokens }) => {
    for (const token of tokens) {
      if (!/^h[1-6]$/.test(token.tag)) continue;
      token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + headingShift)}`;
    }
  });
  return parser;
}

const parser = createParser();

/** Truncates a text to the maximum length without splitting a surrogate pair. */
function bound(source: string): string {
  const cut = source.slice(0, maxSourceLength);
  return cut.length < source.length ? `${cut.toWellFormed()}…` : source.toWellFormed();
}

function isWithin(text: string, mark: RegExp, limit: number): boolean {
  mark.lastIndex = 0;
  for (let count = 0; count <= limit; count += 1) if (!mark.test(text)) return true;
  return false;
}

function isWorthParsing(text: string): boolean {
  return limitedMarks.every(({ mark, limit }) => isWithin(text, mark, limit));
}

function makeMarkup(source: string): string {
  const text = bound(source);
  if (isWorthParsing(text)) return parser.render(text).trimEnd();
  return `<p>${escapeHtml(text.trim()).replaceAll("\n", "<br>\n")}</p>`;
}

function makeText(source: string): string {
  const text = bound(source);
  if (!isWorthParsing(text)) return text.trim();
  const described = parser.parse(text, {}).map(describeBlock).join("");
  return described.replaceAll(/\n{3,}/g, "\n\n").trim();
}

const measure = (source: string, rendered: string) => source.length + rendered.length;
const knownMarkup = new BoundedMap<string, string>(rememberedLength, measure);
const knownTexts = new BoundedMap<string, string>(rememberedLength / 4, measure);

/** Renders Markdown as safe markup, without scripts and without requests to other hosts. */
export function renderMarkdown(source: string): Markup {
  return new Markup(knownMarkup.getOrCreate(source, makeMarkup));
}

/** Renders Markdown as plain text, for mails, feed titles and calendars. */
export function renderMarkdownAsText(source: string): string {
  return knownTexts.getOrCreate(source, makeText);
}

/** Renders several texts in advance and caches the results. Other work can run in between. */
export async function prepareMarkdown(sources: Iterable<string>): Promise<void> {
  let rendered = 0;
  for (const source of sources) {
    if (knownMarkup.has(source)) continue;
    renderMarkdown(source);
    rendered += Math.min(source.length, maxSourceLength);
    if (rendered < turnLength) continue;
    rendered = 0;
    await setImmediate();
  }
}

function describeBlock(token: Token): string {
  switch (token.type) {
    case "inline":
      return describeInline(token.children ?? []);
    case "fence":
    case "code_block":
      return `${token.content.trimEnd()}\n\n`;
    case "hr":
      return "---\n\n";
    case "list_item_open":
      return token.info === "" ? "- " : `${token.info}${token.markup} `;
    case "paragraph_close":
      return token.hidden ? "\n" : "\n\n";
    case "heading_close":
    case "bullet_list_close":
    case "ordered_list_close":
      return "\n\n";
    default:
      return "";
  }
}

/**
 * Renders inline content as plain text. The URL of a link follows its text, unless they are equal.
 */
function describeInline(children: readonly Token[]): string {
  let text = "";
  const links: { readonly href: string; readonly from: number }[] = [];
  for (const child of children) {
    if (child.type === "link_open") {
      links.push({ href: String(child.attrGet("href") ?? ""), from: text.length });
    } else if (child.type === "link_close") {
      const link = links.pop();
      if (link !== undefined && text.slice(link.from) !== link.href) text += ` (${link.href})`;
    } else if (child.type === "softbreak" || child.type === "hardbreak") {
      text += "\n";
    } else {
      text += child.content;
    }
  }
  return text;
}
