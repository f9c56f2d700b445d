import { DatabaseSync } from "node:sqlite";

const quotes: Readonly<Record<string, string>> = {
  "\0": "\\0",
  "\n": "\\n",
  "\r": "\\r",
  "\\": "\\\\",
  "'": "\\'",
  '"': '\\"',
  "\x1a": "\\Z",
};

function writeValue(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape.
  return `'${String(value).replaceAll(/[\0\n\r\\'"\x1a]/g, (sign) => quotes[sign] ?? sign)}'`;
}

export interface DumpOptions {
  /** Whether the dump has a separate statement, with the column names, for each row. */
  readonly isSingle?: boolean;
}

/** Writes the tables of a SQLite database as a dump in the format of mariadb-dump. */
export function dumpSqlite(path: string, { isSingle = false }: DumpOptions = {}): string {
  const db = new DatabaseSync(path, { readOnly: true });
  const lines = [
    "/*M!999999\\- enable the sandbox mode */ ",
    "-- MariaDB dump 10.19-11.4.2-MariaDB, for Linux (x86_64)",
    "/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;",
  ];
  const tables = db
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by 1",
    )
    .all();
  for (const { name } of tables) {
    const columns = db.prepare("select name from pragma_table_info(?)").all(String(name));
    const names = columns.map((column) => `\`${column.name}\``);
    const definitions = names.map((column) => `  ${column} text DEFAULT NULL COMMENT 'a; (b)'`);
    lines.push(`DROP TABLE IF EXISTS \`${name}\`;`, `CREATE TABLE \`${name}\` (`);
    lines.push([...definitions, "  PRIMARY KEY (`id`)"].join(",\n"), ") ENGINE=InnoDB;");
    lines.push(`LOCK TABLES \`${name}\` WRITE;`);
    const rows = db.prepare(`select * from "${name}"`).all();
    const texts = rows.map((row) => `(${Object.values(row).map(writeValue).join(",")})`);
    if (isSingle) {
      const head = `INSERT INTO \`${name}\` (${names.join(", ")}) VALUES`;
      lines.push(...texts.map((text) => `${head} ${text};`));
    } else if (texts.length > 0)
      lines.push(`INSERT INTO \`${name}\` VALUES\n${texts.join(",\n")};`);
    lines.push("UNLOCK TABLES;");
  }
  db.close();
  return [...lines, "-- Dump completed on 2026-11-18  5:00:00", ""].join("\n");
}
