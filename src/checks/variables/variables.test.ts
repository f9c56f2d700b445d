import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import type { Answer, TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { Encryption } from "../../platform/encryption.ts";

const path = "/v1/variables";
const canary = "s3cret-canary";

let app: TestApp;
let stranger: Stranger;
let reader: string;
let runner: string;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
  reader = (await createKey(app, "READ_ONLY")).key;
  runner = (await createKey(app, "READ_RUN")).key;
});
after(() => app.stop());

type Body = Readonly<Record<string, unknown>>;
const create = (body: Body) => app.call("POST", path, { body });
const change = (key: string, body: Body) => app.call("PUT", `${path}/${key}`, { body });
const read = (key: string, by?: string) =>
  app.call("GET", `${path}/${key}`, by === undefined ? {} : { key: by });

function assertNames(answer: Answer, key: string): void {
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.body.validation.keys, [key]);
}

test("a variable is created, read, listed, changed and deleted", async () => {
  const made = await create({ key: "HOST", value: "example.com" });
  const shown = { key: "HOST", value: "example.com", locked: false, secret: false };
  assert.deepEqual([made.status, made.body], [201, shown]);
  assert.deepEqual((await read("HOST", reader)).body, shown);
  const list = await app.call("GET", path, { key: reader });
  assert.deepEqual(list.body, [shown]);
  assert.equal(list.headers.get("content-range"), "items 0-0/1");
  const changed = await change("HOST", { value: "", locked: true });
  assert.deepEqual([changed.status, changed.body], [200, { ...shown, value: "", locked: true }]);
  assert.equal((await app.call("DELETE", `${path}/HOST`)).status, 204);
  assert.equal((await read("HOST")).status, 404);
});

test("a list is sorted by key and paginated", async () => {
  for (const key of ["P_c", "P_B", "P_a"]) await create({ key, value: key });
  const first = await app.call("GET", `${path}?limit=2`);
  const second = await app.call("GET", `${path}?limit=2&page=2`);
  const keys = [...first.body, ...second.body].map((one: { key: string }) => one.key);
  assert.deepEqual(keys, ["P_B", "P_a", "P_c"]);
  assert.equal(second.headers.get("content-range"), "items 2-2/3");
  assert.deepEqual((await app.call("GET", `${path}?limit=2&page=9`)).body, []);
});

test("a locked value is visible only to those who may change it", async () => {
  const made = await create({ key: "LOCKED", value: canary, locked: true });
  assert.equal(made.body.value, canary);
  assert.equal((await read("LOCKED")).body.value, canary);
  for (const key of [reader, runner]) {
    const answer = await read("LOCKED", key);
    assert.deepEqual(answer.body, {
      key: "LOCKED",
      value: "********",
      locked: true,
      secret: false,
    });
    const list = await app.call("GET", `${path}?limit=100`, { key });
    assert.ok(!list.text.includes(canary), list.text);
  }
});

test("a secret is never shown to anyone and is encrypted", async () => {
  const made = await create({ key: "SECRET", value: canary, secret: true });
  assert.deepEqual(made.body, { key: "SECRET", value: "********", locked: false, secret: true });
  const answer = await read("SECRET");
  assert.deepEqual(answer.body, { key: "SECRET", value: null, locked: false, secret: true });
  const list = await app.call("GET", `${path}?limit=100`, { key: reader });
  const audit = await app.call("GET", "/v1/audit-log?limit=100");
  const { rows } = await app.query("select sealed from variables where key = 'SECRET'", []);
  for (const text of [list.text, audit.text, app.logText(), rows[0].sealed]) {
    assert.ok(!text.includes(canary), text);
  }
});

test("a change cannot reveal a locked or secret value", async () => {
  await create({ key: "TRICK", value: canary, secret: true });
  for (const body of [
    { value: "********" },
    { value: "********", locked: true, secret: false },
    { value: "********", locked: false, secret: false },
  ]) {
    const answer = await change("TRICK", body);
    assert.deepEqual([answer.status, answer.body.secret], [200, true]);
    assert.equal(answer.body.value, "********");
    assert.equal((await read("TRICK")).body.value, null);
  }
  await create({ key: "TRICK_2", value: canary, locked: true });
  assertNames(await change("TRICK_2", { value: "********", locked: false }), "value");
  assert.equal((await change("TRICK_2", { value: "********", locked: true })).status, 200);
  assert.equal((await read("TRICK_2")).body.value, canary, "the mask kept the value");
  assert.equal((await change("TRICK_2", { value: "open now" })).body.value, "open now");
});

test("the mask is an ordinary value if nothing is hidden", async () => {
  const made = await create({ key: "STARS", value: "********" });
  assert.equal(made.body.value, "********");
  assert.equal((await change("STARS", { value: "********", locked: true })).status, 200);
  assert.equal((await read("STARS")).body.value, "********");
});

test("invalid input is rejected with the field name", async () => {
  for (const key of ["", "1A", "A-B", "A B", "é", "A".repeat(256), "{{A}}", 7, null]) {
    assertNames(await create({ key, value: "x" }), "key");
  }
  assertNames(await create({ key: "A" }), "value");
  assertNames(await create({ key: "A", value: null }), "value");
  assertNames(await create({ key: "A", value: "x".repeat(32_769) }), "value");
  assertNames(await create({ key: "A", value: "a\0b" }), "value");
  assertNames(await create({ key: "A", value: "x", locked: "maybe" }), "locked");
  await create({ key: "FULL", value: "é".repeat(32_768) });
  assert.equal((await read("FULL")).body.value.length, 32_768);
  assertNames(await change("FULL", { key: "OTHER", value: "x" }), "key");
  assert.equal((await change("FULL", { key: "FULL", value: "x" })).status, 200);
  for (const bad of ["A-B", "%00", "a%2Fb"]) assert.equal((await read(bad)).status, 400, bad);
  for (const query of ["limit=0", "limit=101", "page=-1"]) {
    assert.equal((await app.call("GET", `${path}?${query}`)).status, 400, query);
  }
});

test("names of JavaScript properties are ordinary names", async () => {
  for (const key of ["__proto__", "constructor", "toString"]) {
    assert.equal((await create({ key, value: key })).status, 201);
    assert.equal((await read(key)).body.value, key);
    assert.equal((await app.call("DELETE", `${path}/${key}`)).status, 204);
    assert.equal((await read(key)).status, 404);
  }
});

test("a key that exists is a conflict, including among concurrent requests", async () => {
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, index) => create({ key: "TWICE", value: `v${index}` })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, 409, 409, 409, 409]);
  const won = answers.find(({ status }) => status === 201)?.body.value;
  assert.equal((await read("TWICE")).body.value, won);
});

test("concurrent changes are atomic, and with If-Match the first one wins", async () => {
  await create({ key: "RACE", value: "0" });
  const free = await Promise.all([1, 2, 3].map((value) => change("RACE", { value: `${value}` })));
  assert.deepEqual(
    free.map(({ status }) => status),
    [200, 200, 200],
  );
  const { headers } = await read("RACE");
  const tag = headers.get("etag") ?? "";
  assert.equal(tag, '"4"');
  const put = (value: string) =>
    app.call("PUT", `${path}/RACE`, { body: { value }, headers: { "if-match": tag } });
  const statuses = (await Promise.all([put("a"), put("b")])).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [200, 412]);
});

test("a variable of another account is not found", async () => {
  await create({ key: "MINE", value: canary });
  const { key } = stranger;
  assert.equal((await read("MINE", key)).status, 404);
  assert.equal((await app.call("PUT", `${path}/MINE`, { key, body: { value: "x" } })).status, 404);
  assert.equal((await app.call("DELETE", `${path}/MINE`, { key })).status, 404);
  const own = await app.call("POST", path, { key, body: { key: "MINE", value: "theirs" } });
  assert.equal(own.status, 201);
  assert.deepEqual((await app.call("GET", path, { key })).body.length, 1);
  assert.equal((await read("MINE")).body.value, canary);
});

test("a variable encrypted with another key is null, and others stay readable", async () => {
  await create({ key: "FOREIGN", value: "x" });
  await create({ key: "NATIVE", value: "here" });
  const sealed = new Encryption(randomBytes(32)).encrypt("there");
  await app.query("update variables set sealed = $1 where key = 'FOREIGN'", [sealed]);
  assert.deepEqual((await read("FOREIGN")).body.value, null);
  const list = await app.call("GET", `${path}?limit=100`);
  const native = list.body.find((one: { key: string }) => one.key === "NATIVE");
  assert.equal(native.value, "here");
  assert.equal((await change("FOREIGN", { value: "again" })).body.value, "again");
  assert.equal((await read("FOREIGN")).body.value, "again");
});
