import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { createKey } from "../../../test/support/apps/cast.ts";
import { maxPerAccount } from "./annotation.ts";

let app: TestApp;
const checks = new Map<string, string>();

before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  const group = await app.call("POST", "/v1/check-groups", {
    body: { name: "Shop", tags: ["shop"] },
  });
  for (const [name, more] of [
    ["plain", {}],
    ["tagged", { tags: ["web"] }],
    ["grouped", { groupId: group.body.id }],
  ] as const) {
    const request = { hostname: "192.0.2.1" };
    const body = { name, activated: false, request, ...more };
    const made = await app.call("POST", "/v1/checks/icmp", { body });
    checks.set(name, made.body.id);
  }
});
after(() => app.stop());

const create = (body: object) =>
  app.call("POST", "/v1/annotations", { body: { type: "NOTE", text: "A note", ...body } });
const list = async (query = "") =>
  (await app.call("GET", `/v1/annotations?limit=100${query}`)).body;
const textsOf = async (name: string): Promise<string[]> => {
  const { body } = await app.call("GET", `/v1/check-timelines/${checks.get(name)}`);
  return body.annotations.map(({ text }: { text: string }) => text);
};

test("an annotation is on the charts of its check, of its tags, or of every check", async () => {
  assert.equal((await create({ text: "for all" })).status, 201);
  assert.equal((await create({ text: "for web", tags: ["web"] })).status, 201);
  assert.equal((await create({ text: "for shop", tags: ["shop", "shop"] })).status, 201);
  assert.equal((await create({ text: "for one", checkId: checks.get("plain") })).status, 201);
  app.clock.advance(1_000);
  assert.deepEqual(await textsOf("plain"), ["for one", "for all"]);
  assert.deepEqual(await textsOf("tagged"), ["for web", "for all"]);
  assert.deepEqual(await textsOf("grouped"), ["for shop", "for all"]);
});

test("a pipeline adds a deployment with an API key, a time and a URL", async () => {
  const { key } = await createKey(app, "READ_WRITE", { name: "ci" });
  const at = new Date(app.clock.now().getTime() - 60_000).toISOString();
  const body = { type: "DEPLOYMENT", text: " shop 4.2.0 ", url: "https://ci.example.com/7", at };
  const made = await app.call("POST", "/v1/annotations", { key, body });
  assert.equal(made.status, 201, made.text);
  const { id, created_at: _created, author, ...rest } = made.body;
  assert.ok(author.includes("ci"), author);
  assert.deepEqual(rest, { ...body, text: "shop 4.2.0", checkId: null, tags: [] });
  const [newest] = await list(`&from=${at}&to=${new Date(Date.parse(at) + 1).toISOString()}`);
  assert.equal(newest.id, id);
  assert.equal((await app.call("DELETE", `/v1/annotations/${id}`)).status, 204);
  assert.equal((await app.call("DELETE", `/v1/annotations/${id}`)).status, 404);
});

test("an invalid annotation is rejected with the field", async () => {
  for (const [body, key] of [
    [{ text: "" }, "text"],
    [{ text: " " }, "text"],
    [{ text: "x".repeat(501) }, "text"],
    [{ type: "OTHER" }, "type"],
    [{ url: "ftp://example.com" }, "url"],
    [{ at: "soon" }, "at"],
    [{ at: "2016-12-31T23:59:60Z" }, "at"],
    [{ checkId: randomUUID() }, "checkId"],
    [{ checkId: checks.get("plain"), tags: ["web"] }, "tags"],
    [{ tags: [""] }, "tags.0"],
  ] as const) {
    const { status, body: answer } = await create(body);
    assert.equal(status, 400, JSON.stringify(body));
    assert.ok(answer.validation?.keys.includes(key), JSON.stringify(answer));
  }
  assert.equal((await app.call("GET", "/v1/annotations?from=soon")).status, 400);
});

test("deleting a check deletes its annotations", async () => {
  const request = { hostname: "192.0.2.1" };
  const body = { name: "short", activated: false, request };
  const { id } = (await app.call("POST", "/v1/checks/icmp", { body })).body;
  await create({ text: "of the short one", checkId: id });
  assert.equal((await list(`&checkId=${id}`)).length, 1);
  await app.call("DELETE", `/v1/checks/${id}`);
  assert.deepEqual(await list(`&checkId=${id}`), []);
});

test("an account keeps its latest annotations, up to the limit", async () => {
  await app.query(
    `insert into annotations (id, account_id, tags, type, text, at, author, created_at)
      select gen_random_uuid(), $1, '{}', 'NOTE', 'old', $2::timestamptz - n * interval '1 minute',
        'ci', $2 from generate_series(1, $3) as n`,
    [app.owner.accountId, app.clock.now(), maxPerAccount],
  );
  const created = await create({ text: "newest" });
  const { rows } = await app.query("select count(*)::int as count from annotations");
  assert.equal(rows[0].count, maxPerAccount);
  assert.equal((await list())[0].id, created.body.id);
});
