/**
 * Checks that bytes are a well-formed SVG document without entities, which can expand to gigabytes.
 * Scripts are not removed: images are shown in `<img>` only, and served under a policy that blocks
 * scripts.
 */

const svgNamespace = "http://www.w3.org/2000/svg";
const maxDepth = 256;

const nameStart = String.raw`A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF`;
const name = `[:${nameStart}][:${nameStart}\\-.0-9\\u00B7\\u0300-\\u036F]*`;
const space = String.raw`[ \t\r\n]`;

/** Sticky: matches only at the current position. */
const at = (pattern: string) => new RegExp(pattern, "yu");
const doctype = at(String.raw`<!DOCTYPE${space}(?:[^\[\]<>"']|"[^"<]*"|'[^'<]*'){1,1000}>`);
const opening = at(`<(${name})`);
const attribute = at(`${space}+(${name})${space}*=${space}*(?:"([^"<]*)"|'([^'<]*)')`);
const openingEnd = at(`${space}*(/?)>`);
const closing = at(`</(${name})${space}*>`);
const plain = at("[^<]+");
const target = new RegExp(`^${name}(?:${space}|$)`, "u");
const gap = at(`${space}+`);

const reference = /&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)/;
const forbidden = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/u;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  /** Uses a search instead of a pattern, because the text may have hundreds of kilobytes. */
  takeBetween(start: string, end: string, isFit: (inside: string) => boolean): boolean {
    if (!this.#text.startsWith(start, this.#at)) return false;
    const endsAt = this.#text.indexOf(end, this.#at + start.length);
    if (endsAt < 0 || !isFit(this.#text.slice(this.#at + start.length, endsAt))) return false;
    this.#at = endsAt + end.length;
    return true;
  }

  takeComment(): boolean {
    return this.takeBetween("<!--", "-->", (text) => !text.includes("--") && !text.endsWith("-"));
  }

  takeInstruction(): boolean {
    return this.takeBetween("<?", "?>", (text) => target.test(text) && !/^xml\b/i.test(text));
  }

  takeDeclaration(): boolean {
    return this.takeBetween("<?xml", "?>", (text) => /^[ \t\r\n]/.test(text));
  }

  takeSection(): boolean {
    return this.takeBetween("<![CDATA[", "]]>", () => true);
  }
}

interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly isEmpty: boolean;
}

function readTag(reader: Reader): Tag | null {
  const start = reader.take(opening);
  if (start === null) return null;
  const attributes = new Map<string, string>();
  for (let one = reader.take(attribute); one !== null; one = reader.take(attribute)) {
    const [, key = "", double, single] = one;
    const value = double ?? single ?? "";
    if (attributes.has(key) || reference.test(value)) return null;
    attributes.set(key, value);
  }
  const end = reader.take(openingEnd);
  return end === null ? null : { name: start[1] ?? "", attributes, isEmpty: end[1] === "/" };
}

/** The root declares its namespace, with or without a prefix. */
function isSvgRoot({ name: tagName, attributes }: Tag): boolean {
  const [prefix, local] = tagName.includes(":") ? tagName.split(":") : ["", tagName];
  const key = prefix === "" ? "xmlns" : `xmlns:${prefix}`;
  return local === "svg" && attributes.get(key) === svgNamespace;
}

function skipAround(reader: Reader): void {
  while (reader.takeComment() || reader.takeInstruction() || reader.take(gap) !== null);
}

/** Reads the content and end tag of the root; returns false if tags are not closed in order. */
function readContent(reader: Reader, root: string): boolean {
  const open = [root];
  while (open.length > 0) {
    if (reader.isAtEnd || open.length > maxDepth) return false;
    const text = reader.take(plain);
    if (text !== null && (reference.test(text[0]) || text[0].includes("]]>"))) return false;
    if (text !== null || reader.takeComment()) continue;
    if (reader.takeSection() || reader.takeInstruction()) continue;
    const end = reader.take(closing);
    if (end !== null) {
      if (open.pop() !== end[1]) return false;
      continue;
    }
    const tag = readTag(reader);
    if (tag === null) return false;
    if (!tag.isEmpty) open.push(tag.name);
  }
  return true;
}

function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Returns why it is not an SVG document; `null` if it is one. */
export function findSvgFault(bytes: Buffer): string | null {
  const text = decode(bytes);
  if (text === null || forbidden.test(text)) return "it is not text in UTF-8.";
  const reader = new Reader(text);
  reader.takeDeclaration();
  skipAround(reader);
  if (reader.take(doctype) !== null) skipAround(reader);
  const root = readTag(reader);
  if (root === null) return "it does not start with an element.";
  if (!isSvgRoot(root)) return "its root is not an svg element in the SVG namespace.";
  if (!root.isEmpty && !readContent(reader, root.name)) return "it is not well-formed XML.";
  skipAround(reader);
  return reader.isAtEnd ? null : "there is content after its root element.";
}
