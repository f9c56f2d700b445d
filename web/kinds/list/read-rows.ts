/** Splits pasted text into rows of named or unnamed fields. */

export interface Row {
  /** Line number, starting at 1. */
  readonly line: number;
  readonly text: string;
  readonly fields: readonly string[];
  /** Fields by lower-case column name, or `null` if there is no header row. */
  readonly named: ReadonlyMap<string, string> | null;
}

/** A comment starts at the beginning of a line or after a space, because URLs may contain `#`. */
function stripComment(line: string): string {
  if (/^\s*(?:#|\/\/|;)/.test(line)) return "";
  return line.replace(/\s#\s.*$/, "");
}

/** Bullets and numbers before list items. */
const bullet = /^\s*(?:[-*•]\s+|\d{1,4}[.)]\s+)/;

function findSeparator(lines: readonly string[]): string | null {
  for (const separator of ["\t", ";", ","]) {
    if (lines.some((line) => line.includes(separator))) return separator;
  }
  return null;
}

/** Splits a line of CSV as in RFC 4180; quotation marks inside a field are doubled. */
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

/** A header has at least one known column name and no field that is a target. */
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

/** Reads JSON exports: a list of objects, or an object that contains one. */
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
