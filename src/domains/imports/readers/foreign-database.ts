import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { UnreadableFile } from "../reading.ts";
import { Row } from "./row.ts";

const maxRows = 100_000;
const tableNames = /^[a-z_]+$/;

/**
 * A SQLite database from another program, opened read-only. Neither its schema nor its types are
 * trusted: only real tables are read, and no function or trigger of it runs.
 */
export class ForeignDatabase {
  readonly #db: DatabaseSync;
  readonly #columns = new Map<string, ReadonlySet<string>>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  static open(path: string): ForeignDatabase {
    const url = pathToFileURL(path);
    // Immutable: SQLite creates no journal files beside it, and waits for no lock.
    url.search = "?mode=ro&immutable=1";
    const db = new DatabaseSync(url, { readOnly: true, allowExtension: false });
    db.exec("pragma trusted_schema = off; pragma cell_size_check = on; pragma mmap_size = 0");
    const database = new ForeignDatabase(db);
    try {
      database.#db.prepare("select count(*) from sqlite_schema").get();
    } catch (error) {
      throw explain(error);
    }
    return database;
  }

  hasTable(name: string): boolean {
    return this.columnsOf(name).size > 0;
  }

  columnsOf(table: string): ReadonlySet<string> {
    const known = this.#columns.get(table);
    if (known !== undefined) return known;
    const [schema] = this.query(
      "select type, sql from sqlite_schema where name = ? and type in ('table', 'view')",
      [table],
    );
    const isTable =
      schema?.text("type") === "table" && !/^\s*create\s+virtual/i.test(schema.text("sql") ?? "");
    const rows = isTable ? this.query("select name from pragma_table_info(?)", [table]) : [];
    const columns = new Set(rows.flatMap((row) => row.text("name") ?? []));
    this.#columns.set(table, columns);
    return columns;
  }

  /** Returns all rows of a table, or none if it does not exist. */
  rows(table: string): Row[] {
    if (!tableNames.test(table)) throw new Error(`unexpected table name ${table}`);
    if (!this.hasTable(table)) return [];
    const rows = this.query(`select * from "${table}" limit ${maxRows + 1}`);
    if (rows.length > maxRows) {
      throw new UnreadableFile(`The table ${table} has more than ${maxRows} rows.`);
    }
    return rows;
  }

  query(sql: string, values: readonly (string | number)[] = []): Row[] {
    try {
      return this.#db
        .prepare(sql)
        .all(...values)
        .map((values) => new Row(values));
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
