import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { createGunzip } from "node:zlib";
import { UnreadableFile } from "../reading.ts";

/** Maximum size of the uncompressed dump, in bytes. */
const maxDumpBytes = 4 * 1_024 * 1_048_576;
/** Maximum length of one row or one table definition, in characters. */
const maxRowLength = 16 * 1_048_576;
/** Maximum length of a statement before its first row, in characters. */
const maxHeadLength = 32_768;
const chunkBytes = 1_048_576;
const headBytes = 4_096;
const maxColumns = 500;

type Value = string | number | null;

/** Tables to read, with the list of columns to read, or `null` for all columns. */
export type DumpTables = ReadonlyMap<string, readonly string[] | null>;

const insertHead =
  /(?:insert|replace)\s+(?:ignore\s+)?into\s+`?(\w+)`?\s*(?:\(([^()]*)\)\s*)?values?\s*/iy;
const anyInsert = /(?:insert|replace)\s+(?:ignore\s+)?into\s+`?(\w+)/iy;
const createHead = /create\s+table\s+(?:if\s+not\s+exists\s+)?`?(\w+)`?\s*\(/iy;
const columnNames = /^\s*`(\w+)`\s/gm;
const blanks = /\s*/y;
/** Matches what may precede the quote of a text: a character set, `b`, `n`, `x` or nothing. */
const textPrefix = /^(?:_\w+|[bnx])?$/i;
const dumpStart =
  /^(?:\uFEFF|\u00EF\u00BB\u00BF)?\s*(?:--|\/\*|#|(?:create|insert|set|use|drop|lock)\s)/i;

const escapes: Readonly<Record<string, string>> = {
  "0": "\0",
  b: "\b",
  n: "\n",
  r: "\r",
  t: "\t",
  Z: "\x1a",
};

const unescapeText = (text: string): string =>
  text.replaceAll(/\\([\s\S])|''/g, (_, letter?: string) =>
    letter === undefined ? "'" : (escapes[letter] ?? letter),
  );

/** Returns whether a character code ends an unquoted word. `NaN` is the end of the text. */
const isStop = (code: number): boolean =>
  Number.isNaN(code) || code === 39 || code === 40 || code === 41 || code === 44;

function toValue(word: string): Value {
  if (/^null$/i.test(word)) return null;
  if (/^(?:true|false)$/i.test(word)) return word.length === 4 ? 1 : 0;
  const number = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(word) ? Number(word) : Number.NaN;
  const isExact = Number.isSafeInteger(number) || /[.e]/i.test(word);
  return Number.isFinite(number) && isExact ? number : word;
}

/** Inserts the rows of one table into a SQLite table with the same name. */
class TableWriter {
  readonly #columns: readonly string[];
  readonly #kept: readonly number[];
  readonly #insert: StatementSync;

  constructor(
    db: DatabaseSync,
    { name, columns }: { readonly name: string; readonly columns: readonly string[] },
    kept: readonly string[] | null,
  ) {
    const names = columns.filter((column) => kept === null || kept.includes(column));
    if (names.length === 0 || columns.length > maxColumns) {
      throw new UnreadableFile(`The definition of the table ${name} cannot be read.`);
    }
    this.#columns = columns;
    this.#kept = names.map((column) => columns.indexOf(column));
    const quoted = names.map((column) => `"${column}"`);
    db.exec(`create table "${name}" (${quoted.join(", ")})`);
    const places = names.map(() => "?").join(", ");
    this.#insert = db.prepare(`insert into "${name}" values (${places})`);
  }

  /** Writes one row. `listed` contains the columns that the statement lists, if any. */
  write(name: string, values: readonly Value[], listed: readonly string[] | null): void {
    const columns = listed ?? this.#columns;
    if (values.length !== columns.length) {
      const counts = `${values.length} values for ${columns.length} columns`;
      throw new UnreadableFile(`A row of the table ${name} has ${counts}.`);
    }
    const row = this.#kept.map((index) => {
      const place = listed === null ? index : listed.indexOf(this.#columns[index] ?? "");
      return values[place] ?? null;
    });
    this.#insert.run(...row);
  }
}

/** The parser returns this symbol if it needs more text to continue. */
const incomplete = Symbol("incomplete");

type State =
  | { readonly kind: "statement" }
  | { readonly kind: "comment" }
  | { readonly kind: "skip" }
  | { readonly kind: "rows"; readonly table: string; readonly listed: readonly string[] | null };

/** Parses a dump in chunks. Copies selected tables into SQLite without executing statements. */
class DumpParser {
  readonly #db: DatabaseSync;
  readonly #wanted: DumpTables;
  readonly #writers = new Map<string, TableWriter>();
  #state: State = { kind: "statement" };
  #text = "";
  #at = 0;
  /**
   * Cached index of the next backslash. When the parser has passed it, the parser searches for the
   * next one.
   */
  #backslash = -1;
  #isLast = false;
  #hasHeader = false;
  #isComplete = false;

  constructor(db: DatabaseSync, tables: DumpTables) {
    this.#db = db;
    this.#wanted = tables;
  }

  write(part: string): void {
    this.#text = this.#text.slice(this.#at) + part;
    this.#at = 0;
    this.#backslash = -1;
    while (this.#step() !== incomplete) {
      // Each step consumes a comment, the start of a statement, or a row.
    }
    if (this.#text.length - this.#at > maxRowLength) {
      throw new UnreadableFile("The dump contains a row that is larger than 16 MiB.");
    }
  }

  finish(): void {
    this.#isLast = true;
    this.write("");
    const isCut = this.#state.kind !== "statement" || this.#at < this.#text.length;
    if (isCut || (this.#hasHeader && !this.#isComplete)) {
      throw new UnreadableFile("The dump is incomplete: its end is missing.");
    }
  }

  #step(): typeof incomplete | undefined {
    blanks.lastIndex = this.#at;
    blanks.exec(this.#text);
    this.#at = blanks.lastIndex;
    if (this.#at >= this.#text.length) return incomplete;
    switch (this.#state.kind) {
      case "comment":
        return this.#endComment();
      case "skip":
        return this.#skipStatement();
      case "rows":
        return this.#readRows(this.#state.table, this.#state.listed);
      default:
        return this.#beginStatement();
    }
  }

  #beginStatement(): typeof incomplete | undefined {
    const first = this.#text[this.#at] ?? "";
    if (first === ";") {
      this.#at += 1;
      return undefined;
    }
    const isWaiting = !this.#isLast && this.#text.length - this.#at < maxHeadLength;
    if (first === "#" || this.#text.startsWith("--", this.#at)) return this.#readLineComment();
    if (isWaiting) return incomplete;
    if (this.#text.startsWith("/*", this.#at)) {
      this.#state = { kind: "comment" };
      return undefined;
    }
    insertHead.lastIndex = this.#at;
    const insert = insertHead.exec(this.#text);
    if (insert !== null) return this.#beginInsert(insert);
    anyInsert.lastIndex = this.#at;
    const [, unread] = anyInsert.exec(this.#text) ?? [];
    if (unread !== undefined && this.#wanted.has(unread)) {
      throw new UnreadableFile(`The dump inserts into the table ${unread} in an unknown form.`);
    }
    createHead.lastIndex = this.#at;
    const [, table] = createHead.exec(this.#text) ?? [];
    if (table !== undefined && this.#wanted.has(table)) return this.#readDefinition(table);
    this.#state = { kind: "skip" };
    return undefined;
  }

  #readLineComment(): typeof incomplete | undefined {
    const end = this.#text.indexOf("\n", this.#at);
    if (end < 0 && !this.#isLast) return incomplete;
    const line = this.#text.slice(this.#at, end < 0 ? undefined : Math.min(end, this.#at + 200));
    if (/^-- (?:MySQL|MariaDB) dump/i.test(line)) this.#hasHeader = true;
    if (/^-- Dump completed/i.test(line)) this.#isComplete = true;
    this.#at = end < 0 ? this.#text.length : end + 1;
    return undefined;
  }

  #endComment(): typeof incomplete | undefined {
    const end = this.#text.indexOf("*/", this.#at);
    if (end < 0) {
      this.#at = Math.max(this.#at, this.#text.length - 1);
      return incomplete;
    }
    this.#at = end + 2;
    this.#state = { kind: "statement" };
    return undefined;
  }

  #beginInsert(found: RegExpExecArray): undefined {
    const [head, table = "", list] = found;
    this.#at += head.length;
    if (!this.#wanted.has(table)) {
      this.#state = { kind: "skip" };
      return;
    }
    const listed = list === undefined ? null : (list.match(/\w+/g) ?? []);
    if (!this.#writers.has(table)) {
      if (listed === null) {
        throw new UnreadableFile(`The dump has no definition of the table ${table}.`);
      }
      this.#addWriter(table, listed);
    }
    this.#state = { kind: "rows", table, listed };
  }

  #addWriter(name: string, columns: readonly string[]): void {
    if (this.#writers.has(name)) {
      throw new UnreadableFile(
        `The dump contains the table ${name} more than once. Dump only the database of Uptime Kuma.`,
      );
    }
    const table = { name, columns: [...new Set(columns)] };
    this.#writers.set(name, new TableWriter(this.#db, table, this.#wanted.get(name) ?? null));
  }

  #readDefinition(table: string): typeof incomplete | undefined {
    const end = this.#findEnd(this.#at, ";");
    if (end === incomplete) return incomplete;
    const names = this.#text.slice(this.#at, end).matchAll(columnNames);
    this.#addWriter(
      table,
      [...names].map(([, name = ""]) => name),
    );
    this.#at = end + 1;
    return undefined;
  }

  /** Returns the index of the next `sign` outside quotes. */
  #findEnd(from: number, sign: string): number | typeof incomplete {
    const stops = new RegExp(`['"\`${sign}]`, "g");
    let at = from;
    for (;;) {
      stops.lastIndex = at;
      const found = stops.exec(this.#text);
      if (found === null) return incomplete;
      if (found[0] === sign) return found.index;
      const end = this.#findQuote(found.index);
      if (end === incomplete) return incomplete;
      at = end + 1;
    }
  }

  /** Returns the index of the closing quote of the text that starts at `start`. */
  #findQuote(start: number): number | typeof incomplete {
    const quote = this.#text[start] ?? "'";
    let at = start + 1;
    for (;;) {
      const end = this.#text.indexOf(quote, at);
      if (end < 0) return incomplete;
      if (quote !== "`" && this.#backslash < at) {
        const found = this.#text.indexOf("\\", at);
        this.#backslash = found < 0 ? Number.POSITIVE_INFINITY : found;
      }
      if (quote !== "`" && this.#backslash < end) at = this.#backslash + 2;
      else if (this.#text[end + 1] === quote) at = end + 2;
      else return end + 1 >= this.#text.length && !this.#isLast ? incomplete : end;
    }
  }

  #skipStatement(): typeof incomplete | undefined {
    const end = this.#findEnd(this.#at, ";");
    if (end === incomplete) return this.#skipPart();
    this.#at = end + 1;
    this.#state = { kind: "statement" };
    return undefined;
  }

  /** Skips an unneeded statement up to the last `)` outside quotes in the current text. */
  #skipPart(): typeof incomplete {
    for (;;) {
      const end = this.#findEnd(this.#at, ")");
      if (end === incomplete) return incomplete;
      this.#at = end + 1;
    }
  }

  #readRows(table: string, listed: readonly string[] | null): typeof incomplete | undefined {
    const sign = this.#text[this.#at];
    if (sign === "(") {
      const values = this.#readRow();
      if (values === incomplete) return incomplete;
      this.#writers.get(table)?.write(table, values, listed);
      return undefined;
    }
    if (sign === ";") this.#state = { kind: "statement" };
    else if (sign !== ",") {
      this.#state = { kind: "skip" };
      return undefined;
    }
    this.#at += 1;
    return undefined;
  }

  /** Reads one row. Returns `incomplete` unless the current text contains the whole row. */
  #readRow(): Value[] | typeof incomplete {
    const values: Value[] = [];
    let at = this.#at + 1;
    while (values.length <= maxColumns) {
      let end = at;
      while (!isStop(this.#text.charCodeAt(end))) end += 1;
      const word = this.#text.slice(at, end).trim();
      if (this.#text[end] === "'" && textPrefix.test(word)) {
        const last = this.#findQuote(end);
        if (last === incomplete) return incomplete;
        const text = this.#text.slice(end + 1, last);
        values.push(/[\\']/.test(text) ? unescapeText(text) : text);
        end = last + 1;
        while (this.#text[end] === " ") end += 1;
      } else values.push(toValue(word));
      const sign = this.#text[end];
      if (sign === undefined) return incomplete;
      if (sign !== "," && sign !== ")") break;
      at = end + 1;
      if (sign === ",") continue;
      this.#at = at;
      return values;
    }
    throw new UnreadableFile("The dump contains a row that cannot be read.");
  }
}

async function* unpack(path: string, isPacked: boolean): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  if (!isPacked) return yield* file;
  const packed = file.pipe(createGunzip({ chunkSize: chunkBytes }));
  try {
    yield* packed;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code !== "string" || !/^Z_/.test(code)) throw error;
    throw new UnreadableFile("The compressed file is damaged or incomplete.");
  } finally {
    file.destroy();
  }
}

/** Returns whether a possible dump is compressed; `null` if the file cannot be a dump. */
export function recogniseDump(path: string): { readonly isPacked: boolean } | null {
  const head = Buffer.alloc(headBytes);
  const file = openSync(path, "r");
  try {
    const length = readSync(file, head, 0, headBytes, 0);
    if (head[0] === 0x1f && head[1] === 0x8b) return { isPacked: true };
    return dumpStart.test(head.toString("latin1", 0, length)) ? { isPacked: false } : null;
  } finally {
    closeSync(file);
  }
}

/** Copies tables from a dump into a SQLite database. The dump may be compressed with gzip. */
export async function copyDump(
  { path, isPacked }: { readonly path: string; readonly isPacked: boolean },
  db: DatabaseSync,
  tables: DumpTables,
): Promise<void> {
  const parser = new DumpParser(db, tables);
  // Binary columns may contain invalid UTF-8 and are not needed, so the decoder does not throw.
  const decoder = new TextDecoder("utf-8");
  let length = 0;
  // One transaction for all rows is faster. The temporary database is discarded after an error.
  db.exec("savepoint dump");
  for await (const chunk of unpack(path, isPacked)) {
    if (length === 0 && !dumpStart.test(chunk.toString("latin1", 0, headBytes))) {
      throw new UnreadableFile("The compressed file is not a dump of a database.");
    }
    length += chunk.length;
    if (length > maxDumpBytes) {
      throw new UnreadableFile(`The dump has more than ${maxDumpBytes / 1_048_576} MiB.`);
    }
    parser.write(decoder.decode(chunk, { stream: true }));
  }
  parser.write(decoder.decode());
  parser.finish();
  db.exec("release dump");
}
