/** Architecture rules about database access, responses and migrations. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectFolder, readSourceFiles } from "./support/project/source-files.ts";

const product = readSourceFiles("src/**/*.ts").filter((file) => !file.path.endsWith(".test.ts"));

function assertNone(found: readonly string[], rule: string): void {
  assert.deepEqual(found, [], rule);
}

test("modules use the Database handle and start no transaction themselves", () => {
  const rules: readonly (readonly [RegExp, string])[] = [
    [/from "pg"|\bpg\.(?:Pool|PoolClient|Client)\b/, "imports pg: use `Database`"],
    [/["'`]\s*(?:begin|start transaction|commit|rollback)\b\s*["'`;]/, "use inTransaction"],
    [/\bdb\.transaction\(/, "use inTransaction"],
    [/\bdb\.connection\(/, "use onOneConnection"],
    [/\bdb\.run\(/, "use runSql or runPrepared"],
    [/from "(?:kysely|knex|drizzle-orm|slonik|postgres)\b/, "write SQL: decision 0075"],
  ];
  const broken = product
    .filter((file) => !file.path.startsWith("src/platform/"))
    .flatMap((file) =>
      file.lines.flatMap((line, index) =>
        rules
          .filter(([pattern]) => pattern.test(line))
          .map(([, advice]) => `${file.path}:${index + 1} ${advice}`),
      ),
    );
  assertNone(broken, "other ways to access the database");
});

test("the name of a prepared statement is unique", () => {
  const names = product.flatMap(({ path, text }) =>
    [...text.matchAll(/runPrepared(?:<[^(]*>)?\(\w+, \{\s*name: "([^"]+)"/g)].map(
      ([, name = ""]) => ({ path, name }),
    ),
  );
  assert.ok(names.length > 50, `${names.length} are found`);
  const shared = [...Map.groupBy(names, ({ name }) => name)].filter(([, uses]) => uses.length > 1);
  assertNone(
    shared.map(([name, uses]) => `${name}: ${uses.map(({ path }) => path).join(", ")}`),
    "two statements under one name",
  );
});

test("no route casts its response", () => {
  const broken = product
    .filter((file) => /^export function add\w*Routes\(/m.test(file.text))
    .flatMap((file) =>
      file.lines.flatMap((line, index) =>
        /^(?!\s*[/*]).*\bas (?:never|any|unknown)\b/.test(line)
          ? [`${file.path}:${index + 1}`]
          : [],
      ),
    );
  assertNone(broken, "responses whose type differs from their schema");
});

/** From this migration on, servers of two releases may share one database. */
const firstShared = 53;
const removes =
  /\bdrop (?:table|column|view|function|trigger)\b|\brename (?:to|column|constraint)\b|\balter column "?\w+"? (?:type|set data type|set not null)\b/i;
const needsValue =
  /\badd column (?:if not exists )?"?\w+"? (?![^,;]*\bdefault\b)[^,;]*\bnot null\b/i;

function findBreakage(sql: string): string | null {
  const statements = sql.replaceAll(/--[^\n]*/g, "");
  if (needsValue.test(statements)) return "adds a column that must be set, without a default";
  return removes.test(statements) ? "removes what the previous release may still use" : null;
}

test("a migration removes nothing that the previous release uses", () => {
  assert.equal(findBreakage("create table a (b text not null);"), null);
  assert.equal(findBreakage("alter table a add column b text not null default '';"), null);
  assert.notEqual(findBreakage("alter table a add column b text not null;"), null);
  assert.notEqual(findBreakage("alter table a drop column b;"), null);
  assert.notEqual(findBreakage("alter table a alter column b type int;"), null);
  const broken = globSync("migrations/[0-9]*.sql", { cwd: projectFolder })
    .sort()
    .filter((path) => Number(/(\d{4})-/.exec(path)?.[1]) > firstShared)
    .flatMap((path) => {
      const text = readFileSync(join(projectFolder, path), "utf8");
      const harm = findBreakage(text);
      // Second half of a change: the previous release no longer uses what is removed.
      const isContract = /^-- Contract of \d{4}: \S/m.test(text);
      return harm === null || isContract ? [] : [`${path} ${harm}`];
    });
  assertNone(broken, "expand first, contract a release later (docs/many-machines.md)");
});
