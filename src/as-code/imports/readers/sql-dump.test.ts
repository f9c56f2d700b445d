import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { anyCharacter, propertyRuns } from "../../../../test/support/properties.ts";
import { UnreadableFile } from "../reading.ts";
import { copyDump, type DumpTables, recogniseDump } from "./sql-dump.ts";

const folder = mkdtempSync(join(tmpdir(), "vedette-dump-"));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, "dump.sql");

const definition =
  "CREATE TABLE `monitor` (\n  `id` int NOT NULL,\n  `name` text,\n  KEY `x` (`id`)\n);\n";
const wanted: DumpTables = new Map([["monitor", null]]);

async function copy(dump: string | Buffer, tables = wanted): Promise<unknown[]> {
  writeFileSync(path, dump);
  const recognised = recogniseDump(path);
  assert.ok(recognised !== null, "the file is not recognised");
  const db = new DatabaseSync(":memory:");
  try {
    await copyDump({ path, ...recognised }, db, tables);
    return db
      .prepare("select * from monitor")
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

const rowsOf = (values: string) => copy(`${definition}INSERT INTO \`monitor\` VALUES ${values};\n`);

test("values are numbers, texts and null, as they are written", async () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ["'Web'", "Web"],
    ["''", ""],
    ["NULL", null],
    ["null", null],
    ["true", 1],
    ["FALSE", 0],
    ["-7", -7],
    ["1.5e3", 1_500],
    // A number that would lose digits stays text.
    ["9007199254740993", "9007199254740993"],
    ["0x1F", "0x1F"],
    ["_binary 'ab'", "ab"],
    ["'it''s'", "it's"],
    ["'it\\'s'", "it's"],
    ["'a\\\\'", "a\\"],
    ["'a\\nb\\tc\\0d\\Z'", "a\nb\tc\0d\x1a"],
    ["'a\\%b'", "a%b"],
    ["'),(2,''b'''", "),(2,'b'"],
    ["'-- no comment; /* none */'", "-- no comment; /* none */"],
    ["'🚀 ä'", "🚀 ä"],
  ];
  for (const [written, name] of rows) {
    assert.deepEqual(await rowsOf(`(1,${written})`), [{ id: 1, name }], written);
  }
});

test("statements may have many rows, lists of columns and other spellings", async () => {
  const dump =
    `${definition}insert ignore into monitor values (1,'a') , (2,'b');\n` +
    "REPLACE INTO `monitor` (`name`, `id`) VALUES ('c',3);\nINSERT INTO monitor VALUE (4,'d');";
  assert.deepEqual(await copy(dump), [
    { id: 1, name: "a" },
    { id: 2, name: "b" },
    { id: 3, name: "c" },
    { id: 4, name: "d" },
  ]);
});

test("a column that a statement does not name is null", async () => {
  const dump = `${definition}INSERT INTO monitor (id) VALUES (1);`;
  assert.deepEqual(await copy(dump), [{ id: 1, name: null }]);
});

test("without a definition, the named columns are those of the table", async () => {
  assert.deepEqual(await copy("INSERT INTO monitor (`id`, `tag`) VALUES (1,'x');"), [
    { id: 1, tag: "x" },
  ]);
});

test("only the wanted columns of the wanted tables are copied", async () => {
  const dump =
    `${definition}INSERT INTO secrets VALUES (1,'x;y'),(2,')');\n/* a; 'b */ # c 'd\n` +
    "INSERT INTO monitor VALUES (1,'a');\nUPDATE monitor SET name='x';\nDROP TABLE monitor;";
  assert.deepEqual(await copy(dump, new Map([["monitor", ["name"]]])), [{ name: "a" }]);
});

test("a packed dump is the same as a plain one", async () => {
  const dump = `${definition}INSERT INTO monitor VALUES (1,'a');`;
  assert.deepEqual(await copy(gzipSync(dump)), await copy(dump));
});

test("dumps that cannot be read are rejected with a reason", async () => {
  const rows: readonly (readonly [string | Buffer, RegExp])[] = [
    [`${definition}INSERT INTO monitor VALUES (1,'a'`, /incomplete: its end is missing/],
    [`${definition}INSERT INTO monitor VALUES (1,'a')`, /incomplete: its end is missing/],
    [`-- MySQL dump 10\n${definition}`, /incomplete: its end is missing/],
    [`${definition}INSERT INTO monitor VALUES (1);`, /has 1 values for 2 columns/],
    [`${definition}INSERT INTO monitor VALUES (1,'a','b');`, /has 3 values for 2 columns/],
    [`${definition}INSERT INTO monitor VALUES (1,'a' 'b');`, /a row that cannot be read/],
    [`${definition}INSERT INTO monitor VALUES (1,f('a'));`, /a row that cannot be read/],
    [`${definition}INSERT INTO monitor SELECT * FROM x;`, /in an unknown form/],
    [`${definition}${definition}`, /the table monitor more than once/],
    ["INSERT INTO monitor VALUES (1,'a');", /no definition of the table monitor/],
    ["CREATE TABLE monitor (\n KEY x (y)\n);", /definition of the table monitor cannot be read/],
    [gzipSync("hello"), /not a dump of a database/],
    [gzipSync(definition).subarray(0, 40), /damaged or incomplete/],
  ];
  for (const [dump, message] of rows) {
    await assert.rejects(copy(dump), (error) => {
      assert.ok(error instanceof UnreadableFile, String(error));
      assert.match(error.message, message);
      return true;
    });
  }
});

test("only files that begin as a dump are recognised", () => {
  const recognise = (content: string | Buffer) => {
    writeFileSync(path, content);
    return recogniseDump(path)?.isPacked ?? null;
  };
  for (const text of ["-- dump", "\ufeff/* x */", "  CREATE TABLE x", "#", "set names x"]) {
    assert.equal(recognise(text), false, text);
  }
  assert.equal(recognise(gzipSync("x")), true);
  for (const text of ["", "{}", "creates x", "SQLite format 3\0", "name,url"]) {
    assert.equal(recognise(text), null, text);
  }
});

const quote = (text: string) =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll("\0", "\\0")}'`;

test("any text is read as it was, whatever surrounds it", async () => {
  const texts = fc.array(fc.string({ unit: anyCharacter, maxLength: 30 }), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(texts, async (names) => {
      const rows = names.map((name, index) => `(${index},${quote(name)})`);
      const read = await rowsOf(rows.join(","));
      assert.deepEqual(
        read,
        names.map((name, id) => ({ id, name })),
      );
    }),
    { numRuns: propertyRuns / 4 },
  );
});
