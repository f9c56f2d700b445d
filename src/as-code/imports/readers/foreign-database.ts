import { closeSync, openSync, readSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { UnreadableFile } from "../reading.ts";
import { Row } from "./row.ts";

const magic = "SQLite format 3\0";
/** Format version in the header of a SQLite database that uses a write-ahead log. */
const writeAheadVersion = 2;

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(100);
  const file = openSync(path, "r");
  try {
    const length = readSync(file, header, 0, header.length, 0);
    return header.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

export const isSqlite = (path: string): boolean =>
  readHeader(path).toString("latin1", 0, magic.length) === magic;

export const isWriteAheadLogged = (path: string): boolean =>
  readHeader(path)[18] === writeAheadVersion;

const maxRows = 100_000;
/**
 * Maximum size of one value or row, in bytes. The size of the file does not limit the size of a
 * value, because generated columns can be larger than the file.
 */
const maxValueBytes = 16 * 1_048_576;
const maxTotalBytes = 256 * 1_048_576;
/**
 * Limits the rows that a query may visit: one row per this many bytes of the file. Otherwise, a
 * query of a damaged file could visit rows without end. A valid file does not reach the limit,
 * because a row takes at least 5 bytes and a query visits each row at most twice.
 */
const minBytesPerVisit = 2;
const tableNames = /^[a-z_]+$/;

/** Returns the size of text and binary values. Numbers are ignored because they are small. */
function measureValues(values: Readonly<Record<string, unknown>>): number {
  let bytes = 0;
  for (const value of Object.values(values)) {
    if (typeof value === "string") bytes += value.length;
    else if (value instanceof Uint8Array) bytes += value.byteLength;
  }
  return bytes;
}

/**
 * A SQLite database from another program, opened read-only. The schema and the column types are not
 * trusted: only real tables are read, and no function or trigger of the database runs. Pages of a
 * malicious file can reference each other so that a table never ends. Every query of a table is
 * therefore limited: by `limit`, or by the condition `visit()`, which counts rows. A thread can be
 * terminated only while it runs JavaScript. `visit()` is a JavaScript function, so the thread can
 * be terminated even while SQLite reads.
 */
export class ForeignDatabase {
  readonly #db: DatabaseSync;
  readonly #columns = new Map<string, ReadonlySet<string>>();
  #visits = 0;
  #totalBytes = 0;

  constructor(db: DatabaseSync, maxVisits = Number.POSITIVE_INFINITY) {
    this.#db = db;
    db.limits.length = maxValueBytes;
    db.function("visit", () => {
      this.#visits += 1;
      if (this.#visits <= maxVisits) return 1;
      throw new UnreadableFile(
        "The SQLite database is damaged: it has more rows than fit into it.",
      );
    });
  }

  static open(path: string): ForeignDatabase {
    const url = pathToFileURL(path);
    // With `immutable`, SQLite creates no journal files beside the file and waits for no locks.
    url.search = "?mode=ro&immutable=1";
    const db = new DatabaseSync(url, { readOnly: true, allowExtension: false });
    db.exec("pragma trusted_schema = off; pragma cell_size_check = on; pragma mmap_size = 0");
    const database = new ForeignDatabase(db, statSync(path).size / minBytesPerVisit);
    database.query("select type from sqlite_schema where visit() limit 1");
    return database;
  }

  hasTable(name: string): boolean {
    return this.columnsOf(name).size > 0;
  }

  columnsOf(table: string): ReadonlySet<string> {
    const known = this.#columns.get(table);
    if (known !== undefined) return known;
    const [schema] = this.query(
      `select type, sql from sqlite_schema
       where visit() and name = ? and type in ('table', 'view')`,
      [table],
    );
    const isTable =
      schema?.text("type") === "table" && !/^\s*create\s+virtual/i.test(schema.text("sql") ?? "");
    const rows = isTable ? this.query("select name from pragma_table_info(?)", [table]) : [];
    const columns = new Set(rows.flatMap((row) => row.text("name") ?? []));
    this.#columns.set(table, columns);
    return columns;
  }

  /** Returns all rows of a table, or an empty list if the table does not exist. */
  rows(table: string): Row[] {
    if (!tableNames.test(table)) throw new Error(`unexpected table name ${table}`);
    if (!this.hasTable(table)) return [];
    const rows = this.query(`select * from "${table}" limit ${maxRows + 1}`);
    if (rows.length > maxRows) {
      throw new UnreadableFile(`The table ${table} has more than ${maxRows} rows.`);
    }
    return rows;
  }

  /**
   * Runs a query. A table in a malicious file may never end, so a query that reads a table must be
   * limited. Either a `limit` ends the reading after some rows, or the condition `visit()` counts
   * the visited rows and fails above a maximum. A `limit` is not sufficient if the query filters or
   * sorts the rows first.
   */
  query(sql: string, values: readonly (string | number)[] = []): Row[] {
    this.#visits = 0;
    const rows: Row[] = [];
    try {
      for (const found of this.#db.prepare(sql).iterate(...values)) {
        this.#totalBytes += measureValues(found);
        if (this.#totalBytes > maxTotalBytes) {
          const limit = `${maxTotalBytes / 1_048_576} MiB`;
          throw new UnreadableFile(`The SQLite database has more than ${limit} of values.`);
        }
        rows.push(new Row(found));
      }
      return rows;
    } catch (error) {
      throw explain(error);
    }
  }

  close(): void {
    this.#db.close();
  }
}

function explain(error: unknown): unknown {
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  if (code !== "ERR_SQLITE_ERROR") return error;
  return new UnreadableFile(`The SQLite database cannot be read: ${message}.`);
}
