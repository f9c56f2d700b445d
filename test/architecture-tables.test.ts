/** Every table is owned by one module, which lists it in its index.ts. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectFolder, readSourceFiles } from "./support/project/source-files.ts";

/** Tables that exist after all migrations. */
function listTables(): Set<string> {
  const tables = new Set<string>();
  const made = "create (?:unlogged )?table (\\w+)";
  const gone = "drop table (?:if exists )?(\\w+)";
  const statement = new RegExp(`${made}|${gone}|alter table (\\w+) rename to (\\w+)`, "g");
  for (const path of globSync("migrations/*.sql", { cwd: projectFolder }).sort()) {
    const text = readFileSync(join(projectFolder, path), "utf8");
    for (const [, created, dropped, before, after] of text.matchAll(statement)) {
      for (const gone of [dropped, before]) if (gone !== undefined) tables.delete(gone);
      for (const made of [created, after]) if (made !== undefined) tables.add(made);
    }
  }
  return tables;
}

const tables = listTables();
const product = readSourceFiles("src/**/*.ts").filter(({ path }) => !path.endsWith(".test.ts"));

/** Module of a file in src/domains, otherwise its layer. */
function ownerOf(path: string): string {
  return /^src\/domains\/([^/]+)\//.exec(path)?.[1] ?? path.split("/").slice(0, 2).join("/");
}

const sqlPattern = /\b(?:from|join|into|update|table|using)\s+"?(\w+)/gi;
const builderPattern =
  /\b(?:selectFrom|insertInto|updateTable|deleteFrom|\w*[jJ]oin|from|using)\(\s*\[?\s*"(\w+)/g;

function findTables(text: string): Set<string> {
  const named = [...text.matchAll(sqlPattern), ...text.matchAll(builderPattern)];
  return new Set(named.map(([, name = ""]) => name).filter((name) => tables.has(name)));
}

/** Another rule keeps SQL in stores; in other files these words are English. */
const stores = product.filter(
  ({ path }) => /store\.ts$/.test(path) || !path.startsWith("src/domains/"),
);

test("the tables of the migrations are found, and those in SQL", () => {
  assert.ok(tables.has("checks") && tables.has("results") && !tables.has("nothing"));
  assert.deepEqual([...findTables("select 1 from checks join results using (id)")].sort(), [
    "checks",
    "results",
  ]);
  assert.deepEqual([...findTables('db.selectFrom("incidents as one")')], ["incidents"]);
});

test("no table is used by the SQL of two modules", () => {
  const owners = new Map<string, Set<string>>();
  for (const file of stores) {
    for (const table of findTables(file.text)) {
      owners.set(table, (owners.get(table) ?? new Set()).add(ownerOf(file.path)));
    }
  }
  const shared = [...owners]
    .filter(([, owning]) => owning.size > 1)
    .map(([table, owning]) => `${table}: ${[...owning].join(", ")}`);
  assert.deepEqual(shared, [], "call the module that owns the table");
});

test("index.ts of a module lists its tables and no others", () => {
  const broken = product
    .filter(({ path }) => /^src\/domains\/[^/]+\/index\.ts$/.test(path))
    .flatMap(({ path, text }) => {
      const owner = ownerOf(path);
      const opening = text.slice(0, text.indexOf("*/")).replaceAll(/\n \* ?/g, " ");
      const [, list = ""] = /Tables: ([^.]*)\./.exec(opening) ?? [];
      const named = new Set((list.match(/\w+/g) ?? []).filter((name) => name !== "none"));
      const own = stores.filter((file) => ownerOf(file.path) === owner);
      const used = new Set(own.flatMap((file) => [...findTables(file.text)]));
      // A name may also come from a map, such as that of the tables of hours and days.
      const isUnused = (table: string) => !own.some((file) => file.text.includes(table));
      return [
        ...[...used.difference(named)].map((table) => `${path} does not name ${table}`),
        ...[...named].filter(isUnused).map((table) => `${path} names ${table} and never uses it`),
      ];
    });
  assert.deepEqual(broken, [], "the 'Tables:' line of an index.ts");
});
