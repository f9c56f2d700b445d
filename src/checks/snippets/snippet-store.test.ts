/** Tests which snippets a run receives: those that it executes by id, and those that it imports. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { captureLog } from "../../../test/support/apps/log.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import type { KindSnippets } from "../../kinds/kit/definition.ts";
import { type Database, runSql } from "../../platform/database.ts";
import { openDatabase } from "../../platform/database-pool.ts";
import { addUsedSnippets, insertSnippet } from "./snippet-store.ts";

interface Request {
  readonly ids: readonly number[];
  readonly text: string;
  readonly executed?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

const kind: KindSnippets<Request> = {
  listIds: ({ ids }) => ids,
  listTexts: ({ text }) => [text],
  add: (request, byId, files) => ({
    ...request,
    executed: request.ids.map((id) => byId.get(id) ?? "missing"),
    files: Object.fromEntries(files.map(({ path, content }) => [path, content])),
  }),
};

let db: Database;
let end = async () => {};
before(async () => {
  const database = await createTestDatabase();
  const opened = openDatabase({ connectionString: database.url }, captureLog().log);
  db = opened.db;
  end = async () => {
    await opened.close();
    await database.drop();
  };
});
after(() => end());

async function addAccount(): Promise<string> {
  const id = randomUUID();
  await runSql(db, "insert into accounts (id, name, created_at) values ($1, 'Shop', now())", [id]);
  return id;
}

async function addSnippet(accountId: string, name: string, script = `// ${name}`): Promise<number> {
  const snippet = { name, script, createdAt: new Date(0) };
  return (await insertSnippet(db, accountId, snippet)).id;
}

async function load(accountId: string, request: Request) {
  const { request: found, fault } = await addUsedSnippets(
    db,
    accountId,
    kind as KindSnippets<unknown>,
    request,
  );
  return { ...(found as Request), fault };
}

test("snippets run by id and are imported by name, with those that they import", async () => {
  const accountId = await addAccount();
  const other = await addAccount();
  await addSnippet(other, "sign", "// of another account");
  const id = await addSnippet(accountId, "setup", 'require("./snippets/sign.js")');
  await addSnippet(accountId, "sign", 'import { hash } from "./hash";');
  await addSnippet(accountId, "hash");
  const { executed, files, fault } = await load(accountId, { ids: [id], text: "" });
  assert.equal(fault, null);
  assert.deepEqual(executed, ['require("./snippets/sign.js")']);
  assert.deepEqual(Object.keys(files ?? {}).sort(), ["snippets/hash.js", "snippets/sign.js"]);
});

test("snippets that import each other are loaded once", async () => {
  const accountId = await addAccount();
  await addSnippet(accountId, "one", 'require("./two")');
  await addSnippet(accountId, "two", 'require("./one")');
  const { files } = await load(accountId, { ids: [], text: 'require("./snippets/one")' });
  assert.deepEqual(Object.keys(files ?? {}), ["snippets/one.js", "snippets/two.js"]);
});

test("the oldest snippet of a name counts, and however many have it, they hide no other", async () => {
  const accountId = await addAccount();
  await addSnippet(accountId, "sign", "// oldest");
  for (let count = 0; count < 60; count += 1) await addSnippet(accountId, "sign", "// newer");
  await addSnippet(accountId, "hash");
  const id = await addSnippet(accountId, "setup");
  const text = 'require("./snippets/sign"); require("./snippets/hash")';
  const { executed, files, fault } = await load(accountId, { ids: [id], text });
  assert.equal(fault, null);
  assert.deepEqual(executed, ["// setup"]);
  assert.deepEqual(files, { "snippets/sign.js": "// oldest", "snippets/hash.js": "// hash" });
});

test("a deleted snippet and too much code are reported; a missing import is not", async () => {
  const accountId = await addAccount();
  const lost = await load(accountId, { ids: [4_000], text: "" });
  assert.match(lost.fault ?? "", /^The snippet 4000 of this check does not exist any more\./);
  await addSnippet(accountId, "big", `// ${"x".repeat(2 ** 20)}`);
  await addSnippet(accountId, "bigger", `// ${"x".repeat(2 ** 20)}`);
  const text = 'require("./snippets/big"); require("./snippets/bigger")';
  const { fault } = await load(accountId, { ids: [], text });
  assert.equal(fault, "The snippets of this check are larger than 2 MiB in all.");
  const none = await load(accountId, { ids: [], text: 'require("./snippets/none")' });
  assert.deepEqual([none.fault, none.files], [null, undefined]);
});

test("snippets import each other in a chain of any length", async () => {
  const accountId = await addAccount();
  for (let link = 1; link < 10; link += 1) {
    await addSnippet(accountId, `link-${link}`, `require("./link-${link + 1}")`);
  }
  await addSnippet(accountId, "link-10");
  const { files } = await load(accountId, { ids: [], text: 'require("./snippets/link-1")' });
  assert.equal(Object.keys(files ?? {}).length, 10);
});

test("a check may use 50 snippets, and more are reported", async () => {
  const accountId = await addAccount();
  const id = await addSnippet(accountId, "setup");
  const names = Array.from({ length: 50 }, (_, index) => `part-${index}`);
  for (const name of names) await addSnippet(accountId, name);
  const importAll = (list: readonly string[]) =>
    list.map((name) => `require("./snippets/${name}");`).join(" ");
  const all = await load(accountId, { ids: [], text: importAll(["absent", ...names]) });
  assert.deepEqual([all.fault, Object.keys(all.files ?? {}).length], [null, 50]);
  const { fault } = await load(accountId, { ids: [id], text: importAll(names) });
  assert.equal(fault, "The scripts of this check use more than 50 snippets.");
  const main = await addSnippet(accountId, "main", importAll(names));
  const nested = await load(accountId, { ids: [main], text: "" });
  assert.equal(nested.fault, fault);
});
