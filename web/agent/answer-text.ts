/**
 * Parses an answer into text, lists, code and links. Answers contain names that any user may have
 * chosen. An answer therefore never becomes markup, and only same-origin and http(s) addresses
 * become links.
 */

export type Inline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "strong"; readonly text: string }
  | { readonly type: "cite"; readonly number: string; readonly url: string }
  | { readonly type: "link"; readonly text: string; readonly url: string };

export type Block =
  | { readonly type: "paragraph"; readonly parts: readonly Inline[] }
  | { readonly type: "list"; readonly items: readonly (readonly Inline[])[] }
  | { readonly type: "quote"; readonly parts: readonly Inline[] }
  | { readonly type: "code"; readonly text: string };

/** Maximum size of a rendered answer, in characters and in lines. */
const maxLength = 60_000;
const maxLines = 600;

/** Returns the address if it is safe as a link target, otherwise `null`. */
export function readAddress(text: string): string | null {
  if (/^\/(?!\/)/.test(text)) return text;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

const sourcesLine = /^Sources:((?: \[\d+\]\([^\s()]+\))+)\s*$/;

/** Parses the "Sources:" line of an answer. Returns the safe addresses by source number. */
function readSources(lines: readonly string[]): ReadonlyMap<string, string> {
  const listed = lines.flatMap((line) => sourcesLine.exec(line)?.[1] ?? []);
  const links = listed.flatMap((list) => [...list.matchAll(/\[(\d+)\]\(([^\s()]+)\)/g)]);
  return new Map(
    links.flatMap(([, number = "", address = ""]) => {
      const url = readAddress(address);
      return url === null ? [] : [[number, url] as const];
    }),
  );
}

const inline =
  /`([^`\n]{1,2000})`|\[([^\]\n]{1,300})\]\((\S{1,2000}?)\)|\[(\d{1,3})\]|\*\*([^*\n]{1,500})\*\*/g;

/** Parses a line. Code spans are matched first, because their content is not parsed further. */
export function parseInline(line: string, sources: ReadonlyMap<string, string>): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  const say = (text: string) => {
    if (text !== "") parts.push({ type: "text", text });
  };
  for (const match of line.matchAll(inline)) {
    const [whole, code, text, address, number, strong] = match;
    say(line.slice(end, match.index));
    end = match.index + whole.length;
    const url = address === undefined ? undefined : readAddress(address);
    const cited = number === undefined ? undefined : sources.get(number);
    if (code !== undefined) parts.push({ type: "code", text: code });
    else if (strong !== undefined) parts.push({ type: "strong", text: strong });
    else if (text !== undefined && url) parts.push({ type: "link", text, url });
    else if (number !== undefined && cited) parts.push({ type: "cite", number, url: cited });
    else say(whole);
  }
  say(line.slice(end));
  return parts;
}

type Kind = Exclude<Block["type"], "code"> | "fence" | "nothing";

function kindOf(line: string): Kind {
  if (line.startsWith("```")) return "fence";
  if (line.trim() === "" || sourcesLine.test(line)) return "nothing";
  if (/^(?:[-*]|\d{1,2}\.) /.test(line)) return "list";
  return line.startsWith("> ") ? "quote" : "paragraph";
}

export function parseAnswer(text: string): Block[] {
  const lines = text.slice(0, maxLength).split("\n").slice(0, maxLines);
  const sources = readSources(lines);
  const blocks: Block[] = [];
  let items: Inline[][] | null = null;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const kind = kindOf(line);
    if (kind === "list") {
      if (items === null) {
        items = [];
        blocks.push({ type: "list", items });
      }
      items.push(parseInline(line.replace(/^[-*] /, ""), sources));
      continue;
    }
    items = null;
    if (kind === "fence") {
      const end = lines.findIndex((one, index) => index > at && one.startsWith("```"));
      const last = end === -1 ? lines.length : end;
      blocks.push({ type: "code", text: lines.slice(at + 1, last).join("\n") });
      at = last;
    } else if (kind !== "nothing") {
      const bare = kind === "quote" ? line.slice(2) : line.replace(/^#{1,4} /, "");
      blocks.push({ type: kind, parts: parseInline(bare, sources) });
    }
  }
  return blocks;
}
