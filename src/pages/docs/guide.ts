import MarkdownParser, { type MarkdownIt, type Token } from "markdown-it";
import { escapeHtml, Markup } from "../html.ts";

export interface Section {
  /** Path, such as `/docs/alerts#webhooks`. */
  readonly address: string;
  /** Title of the page, such as "Alerts". */
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

export interface Guide {
  readonly name: string;
  readonly title: string;
  /** First sentence of the text. */
  readonly about: string;
  readonly markup: Markup;
  readonly sections: readonly Section[];
}

/** Same anchors as on common Markdown hosts, so that links work there and here. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

/**
 * Turns a link between files into one between pages: `alerts.md#webhooks` becomes
 * `/docs/alerts#webhooks`, and `0065-….md` in a decision note `/docs/decisions/0065-…`.
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

/** The name of the guide that is parsed, from the environment of the parser. */
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
  // Code and tables scroll on narrow screens; tabindex makes that possible with the keyboard.
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

/** Returns the first sentence of the first paragraph; skips code blocks, lists and tables. */
function readFirstSentence(tokens: readonly Token[]): string {
  const place = tokens.findIndex(({ type, level }) => type === "paragraph_open" && level === 0);
  const paragraph = tokens[place + 1];
  if (place < 0 || paragraph === undefined) return "";
  const text = (paragraph.children ?? [])
    .map(({ type, content }) => (type === "softbreak" ? " " : content))
    .join("");
  return (text.split(/(?<=[.:!?]) /)[0] ?? "").replace(/:$/, ".");
}

/** Parses a guide. Guides are trusted text, so all links and tables are allowed. */
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
