import { withoutPasswords } from "../../parts/secrets.ts";
import { guessKind, listOtherGuesses, proposeName } from "../guess-kind.ts";
import { findFamily, hasScheme, writeEndpoint } from "../host-text.ts";
import { findKindByForeignName } from "../index.ts";
import type { KindTarget } from "../kind.ts";
import { dnsTarget, icmpTarget, urlTarget } from "../targets.ts";

/** Splits pasted text into rows. If the text has a header, the fields of a row have names. */

interface Row {
  /** Line number, starting at 1. */
  readonly line: number;
  readonly text: string;
  readonly fields: readonly string[];
  /** Fields by column name in lower case; `null` if there is no header. */
  readonly named: ReadonlyMap<string, string> | null;
}

/**
 * Removes a comment: a whole line, or the rest of a line after a `#` between spaces. Any other `#`
 * may be part of a URL.
 */
function stripComment(line: string): string {
  if (/^\s*(?:#|\/\/|;)/.test(line)) return "";
  return line.replace(/\s#\s.*$/, "");
}

/** Matches a bullet or a number before a list item. */
const bullet = /^\s*(?:[-*•]\s+|\d{1,4}[.)]\s+)/;

function findSeparator(lines: readonly string[]): string | null {
  for (const separator of ["\t", ";", ","]) {
    if (lines.some((line) => line.includes(separator))) return separator;
  }
  return null;
}

/** Splits a line of CSV as in RFC 4180: `""` in a quoted field is one quotation mark. */
export function splitFields(line: string, separator: string): string[] {
  const fields: string[] = [];
  let field = "";
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at] ?? "";
    if (isQuoted) {
      if (letter !== '"') field += letter;
      else if (line[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"' && field.trim() === "") {
      isQuoted = true;
      field = "";
    } else if (letter === separator) {
      fields.push(field.trim());
      field = "";
    } else field += letter;
  }
  return [...fields, field.trim()];
}

const headerNames = new Set([
  "name",
  "friendly_name",
  "title",
  "type",
  "kind",
  "url",
  "host",
  "hostname",
  "address",
  "target",
  "port",
]);

/**
 * Returns whether a line is a header: it has at least two known column names, and no field looks
 * like a target.
 */
function isHeader(fields: readonly string[]): boolean {
  const names = fields.map((field) => field.toLowerCase());
  const known = names.filter((name) => headerNames.has(name));
  return names.length > 1 && known.length >= 2 && names.every((name) => !/[./:]/.test(name));
}

function nameFields(header: readonly string[], fields: readonly string[]) {
  return new Map(header.map((name, index) => [name.toLowerCase(), fields[index] ?? ""]));
}

export function readRows(text: string): Row[] {
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.replace(/^\ufeff/, ""));
  const kept = lines.map(stripComment);
  const separator = findSeparator(kept);
  const rows: Row[] = [];
  let header: readonly string[] | null = null;
  for (const [index, line] of kept.entries()) {
    const bare = line.replace(bullet, "").trim();
    if (bare === "") continue;
    const fields = separator === null ? [bare] : splitFields(bare, separator);
    if (fields.every((field) => field === "")) continue;
    if (rows.length === 0 && header === null && isHeader(fields)) {
      header = fields;
      continue;
    }
    const named = header && nameFields(header, fields);
    rows.push({ line: index + 1, text: bare, fields, named });
  }
  return rows;
}

/** Reads the rows of a JSON export: a list of objects, or an object that contains a list. */
export function readJsonRows(text: string): Row[] | null {
  if (!/^\s*[[{]/.test(text)) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const list = [parsed, ...Object.values(parsed ?? {})].find((value) => Array.isArray(value));
  if (!Array.isArray(list)) return null;
  return list.map((one: unknown, index) => {
    const entries = typeof one === "object" && one !== null ? Object.entries(one) : [];
    const plain = entries.filter(([, value]) => ["string", "number"].includes(typeof value));
    const named = new Map(plain.map(([name, value]) => [name.toLowerCase(), String(value)]));
    const fields = typeof one === "string" ? [one] : [];
    return {
      line: index + 1,
      text: typeof one === "string" ? one : JSON.stringify(one).slice(0, 200),
      fields,
      named: typeof one === "string" ? null : named,
    };
  });
}

/** Maximum number of checks in a pasted list. */
export const maxItems = 500;
/** Maximum number of characters in a pasted list. */
export const maxListLength = 200_000;

export interface ListItem {
  readonly line: number;
  readonly checkType: string;
  readonly name: string;
  readonly target: string;
  /** Whether the target is a public host name whose check type was guessed and can be changed. */
  readonly isBareName: boolean;
}

/** A line from which no check can be created, and the reason. */
export interface LeftOut {
  readonly line: number;
  readonly text: string;
  readonly reason: "not-understood" | "duplicate" | "too-many" | "no-target";
  /** Number of the earlier line with the same target. */
  readonly of?: number;
}

export interface ParsedList {
  readonly items: readonly ListItem[];
  readonly leftOut: readonly LeftOut[];
  readonly isCut: boolean;
}

interface Candidate {
  readonly target: string;
  readonly name: string;
  readonly kind: KindTarget | null;
}

const isAddressLike = (text: string) => /[./:]/.test(text) && !/\s/.test(text);

function readNamed(named: ReadonlyMap<string, string>): Candidate {
  const pick = (...names: string[]) => {
    const found = names.map((name) => named.get(name)?.trim() ?? "");
    return found.find((value) => value !== "") ?? "";
  };
  const kind = findKindByForeignName(pick("type", "kind"));
  const host = pick("hostname", "host", "address", "target");
  const port = Number(pick("port"));
  const usesPort = kind !== icmpTarget && kind !== dnsTarget;
  const endpoint =
    host !== "" && usesPort && Number.isInteger(port) && port > 0
      ? writeEndpoint(host, port)
      : host;
  // Some exports contain an empty "https://" although the target is in another column.
  const url = pick("url").replace(/^https?:\/\/$/i, "");
  const wantsHost = kind !== null && kind !== urlTarget;
  const target = (wantsHost ? endpoint || url : url || endpoint) || "";
  return { target, name: pick("name", "friendly_name", "title"), kind };
}

/**
 * Reads a row with a name and a target. The target is the second field, unless only the first field
 * looks like an address.
 */
function readPair(fields: readonly string[]): Candidate {
  const [first = "", second = "", third = ""] = fields;
  const named = findKindByForeignName(third);
  if (second === "") return readAlone(first);
  const isSwapped = isAddressLike(first) && !isAddressLike(second);
  return isSwapped
    ? { target: first, name: second, kind: named }
    : { target: second, name: first, kind: named };
}

/**
 * Reads a line without separators: a line of a hosts file (IP address, names), or a name and a
 * target.
 */
function readAlone(text: string): Candidate {
  const [first = "", ...names] = text.split(/\s+/);
  if (names.length === 0) return { target: first, name: "", kind: null };
  if (findFamily(first) !== null) return { target: first, name: names.join(" "), kind: null };
  const last = names.at(-1) ?? "";
  if (isAddressLike(last) && (hasScheme(last) || !isAddressLike(first))) {
    return { target: last, name: [first, ...names.slice(0, -1)].join(" "), kind: null };
  }
  return { target: text, name: "", kind: null };
}

function readCandidate({ named, fields }: Row): Candidate {
  if (named !== null) return readNamed(named);
  return readPair(fields);
}

function toItem(row: Row): ListItem | LeftOut {
  const { line, text } = row;
  const { target: written, name, kind: given } = readCandidate(row);
  const kind = given ?? guessKind(written);
  if (written === "") return { line, text, reason: "no-target" };
  if (kind?.target == null || /\s/.test(written)) return { line, text, reason: "not-understood" };
  const fields = kind.target.read(written);
  const target = kind.target.write(fields);
  if (target === "") return { line, text, reason: "not-understood" };
  const isBareName = given === null && listOtherGuesses(written).length > 0;
  const proposed = name || proposeName(kind, fields) || target;
  return { line, checkType: kind.type, name: proposed, target, isBareName };
}

/** Check types that can be selected for bare host names; the first is the default. */
export const bareNameKinds: readonly KindTarget[] = [urlTarget, icmpTarget];

/**
 * Changes the check type of an item in the list, and converts the target of the item to the format
 * of this type.
 */
export function changeItemKind(item: ListItem, kind: KindTarget): ListItem {
  const target = kind.target?.write(kind.target.read(item.target)) ?? item.target;
  return { ...item, checkType: kind.type, target };
}

/**
 * Parses a pasted list into the items to create and the lines that are left out. The API validates
 * the targets later.
 */
export function parseList(pasted: string): ParsedList {
  const isCut = pasted.length > maxListLength;
  const text = isCut ? pasted.slice(0, maxListLength) : pasted;
  const items: ListItem[] = [];
  const leftOut: LeftOut[] = [];
  const lines = new Map<string, number>();
  for (const row of readJsonRows(text) ?? readRows(text)) {
    const item = toItem(row);
    if ("reason" in item) {
      leftOut.push(item);
      continue;
    }
    const key = `${item.checkType} ${item.target.toLowerCase()}`;
    const of = lines.get(key);
    if (of !== undefined) leftOut.push({ line: row.line, text: row.text, reason: "duplicate", of });
    else if (items.length >= maxItems) {
      leftOut.push({ line: row.line, text: row.text, reason: "too-many" });
    } else {
      lines.set(key, item.line);
      items.push(item);
    }
  }
  return { items, leftOut, isCut };
}

/** Functions that remove secrets from a pasted list before it is stored in the browser. */

/**
 * Reduces an export of another tool to names, targets and check types, because its other columns
 * may contain secrets.
 */
function writeChecks(text: string): string {
  const lines = parseList(text).items.map(({ name, target, checkType }) => {
    const quoted = name.replaceAll('"', '""').replaceAll(/\s/g, " ");
    return [`"${quoted}"`, target, checkType].join("\t");
  });
  return lines.join("\n");
}

export function toStoredText(text: string): string {
  const isJson = /^\s*[[{]/.test(text);
  const rows = isJson ? readJsonRows(text) : readRows(text);
  // Incomplete JSON is not stored, because it cannot be parsed and its secrets cannot be removed.
  if (rows === null) return "";
  const isExport = isJson || rows.some(({ named }) => named !== null);
  return withoutPasswords(isExport ? writeChecks(text) : text);
}
