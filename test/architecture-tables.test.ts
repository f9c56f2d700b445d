/** Every table and view is owned by one module, which lists it in its index.ts. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { moduleOf, modules } from "./support/project/modules.ts";
import { projectFolder, readSourceFiles } from "./support/project/source-files.ts";

/** Names that exist after all migrations. */
function listCreated(object: "table" | "view"): Set<string> {
  const names = new Set<string>();
  const made = `create (?:unlogged |or replace )?${object} (\\w+)`;
  const gone = `drop ${object} (?:if exists )?(\\w+)`;
  const statement = new RegExp(`${made}|${gone}|alter ${object} (\\w+) rename to (\\w+)`, "g");
  for (const path of globSync("migrations/[0-9]*.sql", { cwd: projectFolder }).sort()) {
    const text = readFileSync(join(projectFolder, path), "utf8");
    for (const [, created, dropped, before, after] of text.matchAll(statement)) {
      for (const gone of [dropped, before]) if (gone !== undefined) names.delete(gone);
      for (const made of [created, after]) if (made !== undefined) names.add(made);
    }
  }
  return names;
}

const tables = listCreated("table");
const views = listCreated("view");
const product = readSourceFiles("src/**/*.ts").filter(({ path }) => !path.endsWith(".test.ts"));

/** Module of a file in an area, otherwise its layer. */
function ownerOf(path: string): string {
  return moduleOf(path) ?? path.split("/").slice(0, 2).join("/");
}

const sqlPattern = /\b(?:from|join|into|update|table|using)\s+"?(\w+)/gi;

function findNames(text: string, known: ReadonlySet<string>): Set<string> {
  const named = text.matchAll(sqlPattern).map(([, name = ""]) => name);
  return new Set(named.filter((name) => known.has(name)));
}
const findTables = (text: string) => findNames(text, tables);

/** Reads "Tables: a, b." or "Views: a." in the comment at the top of an index.ts. */
function readList(text: string, word: "Tables" | "Views"): Set<string> {
  const opening = text.slice(0, text.indexOf("*/")).replaceAll(/\n \* ?/g, " ");
  const [, list = ""] = new RegExp(`${word}: ([^.]*)\\.`).exec(opening) ?? [];
  return new Set((list.match(/\w+/g) ?? []).filter((name) => name !== "none"));
}

const interfaces = product.filter(({ path }) => path === `${moduleOf(path)}/index.ts`);

/** Another rule keeps SQL in stores; in other files these words are English. */
const stores = product.filter(({ path }) => /store\.ts$/.test(path) || moduleOf(path) === null);

test("the tables and views of the migrations are found, and those in SQL", () => {
  assert.ok(tables.has("checks") && tables.has("results") && !tables.has("nothing"));
  assert.ok(views.has("readable_results") && views.has("checks_with_group"));
  assert.deepEqual([...findTables("select 1 from checks join results using (id)")].sort(), [
    "checks",
    "results",
  ]);
  assert.deepEqual([...readList("/**\n * Tables: a,\n * b. Views: c.\n */", "Tables")], ["a", "b"]);
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
  const broken = interfaces.flatMap(({ path, text }) => {
    const named = readList(text, "Tables");
    const own = stores.filter((file) => ownerOf(file.path) === ownerOf(path));
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

test("a view belongs to one module, and only that module and later ones read it", () => {
  const owned = interfaces.flatMap(({ path, text }) =>
    [...readList(text, "Views")].map((view) => [view, ownerOf(path)] as const),
  );
  assert.deepEqual(owned.map(([view]) => view).toSorted(), [...views].toSorted(), "'Views:' lines");
  const owners = new Map(owned);
  const broken = stores
    .filter(({ path }) => moduleOf(path) !== null)
    .flatMap(({ path, text }) =>
      [...findNames(text, views)]
        .filter((view) => modules.indexOf(owners.get(view) ?? "") > modules.indexOf(ownerOf(path)))
        .map((view) => `${path} reads ${view} of a later module`),
    );
  const unread = [...views].filter((view) => !stores.some(({ text }) => text.includes(view)));
  assert.deepEqual(broken, []);
  assert.deepEqual(unread, [], "views that no store reads");
});

test("no module exports SQL: later modules read a view", () => {
  const lent = stores.flatMap(({ path, text }) => {
    const exported = text.matchAll(/export const (\w+)[^;]*?`\(?\s*select\b/g);
    const shared = interfaces.find((one) => ownerOf(one.path) === ownerOf(path))?.text ?? "";
    return [...exported]
      .filter(([, name]) => new RegExp(`\\b${name}\\b`).test(shared))
      .map(([, name]) => `${path} ${name}`);
  });
  assert.deepEqual(lent, []);
});
