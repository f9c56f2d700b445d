/**
 * Templates such as the bodies of webhooks. Each `{{NAME}}` is replaced by a value. The blocks
 * `#if`, `#unless`, `#each` and `#contains` choose and repeat text, as in Handlebars. There are no
 * calls, no paths and no includes, and only the given values can be used. Depth, steps and output
 * of a template are bounded.
 */

/** Maximum length of a template in characters, and maximum size of its output in bytes. */
export const maxTemplateLength = 65_536;
export const maxOutputBytes = 65_536;
/** Maximum number of blocks inside one another. */
const maxDepth = 8;
/** Maximum number of rendered texts, variables, blocks and repetitions. */
const maxSteps = 50_000;
const maxTagLength = 256;

type TemplateFault =
  | "too-long"
  | "not-closed"
  | "not-a-variable"
  | "block-not-closed"
  | "block-not-opened"
  | "too-deep";

const templateFaultRules: Readonly<Record<TemplateFault, string>> = {
  "too-long": `must have at most ${maxTemplateLength} characters`,
  "not-closed": "has a {{ without its }}",
  "not-a-variable":
    "may have names and the blocks #if, #unless, #each and #contains between {{ and }}, and no " +
    "paths, helpers or partials",
  "block-not-closed": "has a block such as {{#if X}} without its {{/if}}",
  "block-not-opened": "has a {{/if}} or {{else}} without its {{#if X}}",
  "too-deep": `may have at most ${maxDepth} blocks inside one another`,
};

/** A value of a template. `null` is a known variable without a value. */
export type TemplateValue = string | number | boolean | null | readonly string[];

type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tag"; readonly tag: string }
  | { readonly kind: "not-closed"; readonly text: string };

type BlockName = "if" | "unless" | "each" | "contains";

interface Block {
  readonly kind: "block";
  readonly block: BlockName;
  readonly name: string;
  /** What `#contains` searches for; empty for other blocks. */
  readonly literal: string;
  readonly body: Part[];
  readonly otherwise: Part[];
}

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string }
  | Block;

/** Returns where a tag ends; `{{{NAME}}}` is read as `{{NAME}}`, because values stay escaped. */
function readTag(template: string, open: number): { readonly tag: string; readonly end: number } {
  const close = template.indexOf("}}", open + 2);
  if (close === -1) return { tag: "", end: -1 };
  const isTriple = template[open + 2] === "{" && template[close + 2] === "}";
  if (isTriple) return { tag: template.slice(open + 3, close).trim(), end: close + 3 };
  return { tag: template.slice(open + 2, close).trim(), end: close + 2 };
}

/**
 * Splits a template into text and tags. The time is linear: after a `{{` without `}}`, the
 * remaining text is not searched again.
 */
function splitTemplate(template: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf("{{", at);
    if (open === -1) break;
    if (open > at) pieces.push({ kind: "text", text: template.slice(at, open) });
    const { tag, end } = readTag(template, open);
    if (end === -1) {
      pieces.push({ kind: "not-closed", text: template.slice(open) });
      return pieces;
    }
    pieces.push({ kind: "tag", tag });
    at = end;
  }
  if (at < template.length) pieces.push({ kind: "text", text: template.slice(at) });
  return pieces;
}

const isBlockTag = (piece: Piece | undefined) =>
  piece?.kind === "tag" && (/^[#/]/.test(piece.tag) || piece.tag === "else");

/** Returns the length of the blanks at the end of a text, after its last line break. */
function countIndent(text: string): number {
  let at = text.length;
  while (at > 0 && (text[at - 1] === " " || text[at - 1] === "\t")) at -= 1;
  return text.length - at;
}

const readText = (piece: Piece | undefined): string | null =>
  piece?.kind === "text" ? piece.text : null;

/** Removes the line of a block tag that stands alone on it, as Handlebars does. */
function trimBlockLines(pieces: readonly Piece[]): Piece[] {
  const cuts = pieces.map(() => ({ start: 0, end: 0 }));
  for (const [index, piece] of pieces.entries()) {
    if (!isBlockTag(piece)) continue;
    const isFirst = index <= 1;
    const isLast = index >= pieces.length - 2;
    const before = index === 0 ? "" : readText(pieces[index - 1]);
    const after = index === pieces.length - 1 ? "" : readText(pieces[index + 1]);
    if (before === null || after === null) continue;
    const indent = countIndent(before);
    const [blanks = null] = /^[ \t]*(?:\r?\n|$)/.exec(after) ?? [];
    const startsLine = indent === before.length ? isFirst : before.at(-indent - 1) === "\n";
    const endsLine = blanks !== null && (blanks.endsWith("\n") || isLast);
    if (!startsLine || !endsLine) continue;
    const [cutBefore, cutAfter] = [cuts[index - 1], cuts[index + 1]];
    if (cutBefore !== undefined) cutBefore.end = indent;
    if (cutAfter !== undefined) cutAfter.start = blanks.length;
  }
  return pieces.map((piece, index) => {
    const { start, end } = cuts[index] ?? { start: 0, end: 0 };
    if (piece.kind !== "text" || start + end === 0) return piece;
    return { ...piece, text: piece.text.slice(start, Math.max(start, piece.text.length - end)) };
  });
}

const namePattern = /^(?:\$?[A-Za-z][A-Za-z0-9_]{0,63}|@(?:index|first|last))$/;
const blockPattern = /^#(if|unless|each) +(\S+)$|^#contains +(\S+) +(?:"([^"]*)"|'([^']*)')$/;

function parseBlock(tag: string): Block | null {
  const [found, plain, subject, list, quoted, single] = blockPattern.exec(tag) ?? [];
  const name = subject ?? list ?? "";
  if (found === undefined || !namePattern.test(name)) return null;
  const literal = quoted ?? single ?? "";
  const block = (plain ?? "contains") as BlockName;
  return { kind: "block", block, name, literal, body: [], otherwise: [] };
}

interface ParsedTemplate {
  readonly parts: readonly Part[];
  readonly fault: TemplateFault | null;
}

/** Parses a template. The parts of a faulty template contain what could be read. */
function parseTemplate(template: string): ParsedTemplate {
  if (template.length > maxTemplateLength) return { parts: [], fault: "too-long" };
  const root: Part[] = [];
  const open: { readonly block: Block; isElse: boolean }[] = [];
  let fault: TemplateFault | null = null;
  const addFault = (found: TemplateFault) => {
    fault ??= found;
  };
  const add = (part: Part) => {
    const last = open.at(-1);
    (last === undefined ? root : last.isElse ? last.block.otherwise : last.block.body).push(part);
  };
  const addTag = (tag: string) => {
    const last = open.at(-1);
    const block = tag.length > maxTagLength ? null : parseBlock(tag);
    if (block !== null) {
      if (open.length === maxDepth) return addFault("too-deep");
      add(block);
      open.push({ block, isElse: false });
    } else if (tag === "else" || tag.startsWith("/")) {
      const isOpen = last !== undefined && (tag === "else" || tag.slice(1) === last.block.block);
      if (!isOpen || (tag === "else" && last.isElse)) return addFault("block-not-opened");
      if (tag === "else") last.isElse = true;
      else open.pop();
    } else if (namePattern.test(tag)) add({ kind: "variable", name: tag });
    else addFault("not-a-variable");
  };
  for (const piece of trimBlockLines(splitTemplate(template))) {
    if (piece.kind === "tag") addTag(piece.tag);
    else add({ kind: "text", text: piece.text });
    if (piece.kind === "not-closed") addFault("not-closed");
  }
  if (open.length > 0) addFault("block-not-closed");
  return { parts: root, fault };
}

/** Returns the fault of a template; `null` if it is valid. An unknown variable is not a fault. */
export function findTemplateFault(template: string): TemplateFault | null {
  return parseTemplate(template).fault;
}

/** Returns the rule that a template violates, as text; `null` if the template is valid. */
export function findBrokenRule(template: string): string | null {
  const fault = findTemplateFault(template);
  return fault === null ? null : templateFaultRules[fault];
}

export type RenderedTemplate =
  | { readonly kind: "rendered"; readonly text: string }
  | { readonly kind: "too-large" };

type Lookup = (name: string) => TemplateValue | undefined;

const isTrue = (value: TemplateValue | undefined) =>
  Array.isArray(value) ? value.length > 0 : Boolean(value);

function hasLiteral(value: TemplateValue | undefined, literal: string): boolean {
  if (Array.isArray(value)) return value.includes(literal);
  return value !== undefined && value !== null && String(value).includes(literal);
}

/** Returns the values inside an `#each` block. */
function createItemLookup(items: readonly string[], index: number, outer: Lookup): Lookup {
  const own = new Map<string, TemplateValue>([
    ["this", items[index] ?? ""],
    ["@index", index],
    ["@first", index === 0],
    ["@last", index === items.length - 1],
  ]);
  return (name) => (own.has(name) ? own.get(name) : outer(name));
}

class TooLarge extends Error {}

const writePlain = (value: TemplateValue) => (value === null ? "" : String(value));

/**
 * Renders a template. A variable without a value becomes an empty string. `write` escapes values
 * for the format of the output.
 */
export function fillTemplate(
  template: string,
  values: ReadonlyMap<string, TemplateValue>,
  write: (value: TemplateValue) => string = writePlain,
): RenderedTemplate {
  const { parts, fault } = parseTemplate(template);
  if (fault === "too-long") return { kind: "too-large" };
  const texts: string[] = [];
  let byteCount = 0;
  let stepCount = 0;
  const countStep = () => {
    stepCount += 1;
    if (stepCount > maxSteps) throw new TooLarge();
  };
  const render = (some: readonly Part[], lookup: Lookup): void => {
    for (const part of some) {
      countStep();
      if (part.kind === "block") {
        renderBlock(part, lookup);
        continue;
      }
      const value = part.kind === "variable" ? lookup(part.name) : undefined;
      const text = part.kind === "text" ? part.text : value === undefined ? "" : write(value);
      byteCount += Buffer.byteLength(text);
      if (byteCount > maxOutputBytes) throw new TooLarge();
      texts.push(text);
    }
  };
  const renderBlock = ({ block, name, literal, body, otherwise }: Block, lookup: Lookup) => {
    const value = lookup(name);
    if (block !== "each") {
      const holds = block === "contains" ? hasLiteral(value, literal) : isTrue(value);
      return render(holds === (block !== "unless") ? body : otherwise, lookup);
    }
    const items: readonly string[] = Array.isArray(value) ? value : [];
    if (items.length === 0) return render(otherwise, lookup);
    for (const index of items.keys()) {
      countStep();
      render(body, createItemLookup(items, index, lookup));
    }
  };
  try {
    render(parts, (name) => values.get(name));
  } catch (error) {
    if (error instanceof TooLarge) return { kind: "too-large" };
    throw error;
  }
  return { kind: "rendered", text: texts.join("") };
}

/** Lists the names of the variables in a template, also those of its blocks, each only once. */
export function listTemplateNames(template: string): string[] {
  const names = new Set<string>();
  const visit = (parts: readonly Part[], isInEach: boolean): void => {
    for (const part of parts) {
      if (part.kind === "text") continue;
      const isOfItem = part.name.startsWith("@") || (isInEach && part.name === "this");
      if (!isOfItem) names.add(part.name);
      if (part.kind !== "block") continue;
      visit(part.body, isInEach || part.block === "each");
      visit(part.otherwise, isInEach);
    }
  };
  visit(parseTemplate(template).parts, false);
  return [...names];
}
