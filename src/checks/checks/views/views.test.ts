import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ownerPassword, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember, addStranger, createKey, signIn } from "../../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";

let app: TestApp;
let owner: string;
let reader: string;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  owner = await signIn(app, app.owner.email, ownerPassword);
  const person = await addMember(app, "reader@example.com", { role: "READ_ONLY" });
  reader = await signIn(app, person.email, person.password);
});
after(() => app.stop());

const body = { name: "Failing", query: "state=failing&sort=name" };
const namesOf = async (cookie: string) =>
  (await app.call("GET", "/v1/views", { cookie })).body.map(({ name }: { name: string }) => name);

test("a read-only member may save own views but not shared ones", async () => {
  const made = await app.call("POST", "/v1/views", { cookie: reader, body });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual([made.body.query, made.body.shared], [body.query, false]);
  const shared = await app.call("POST", "/v1/views", {
    cookie: reader,
    body: { ...body, shared: true },
  });
  assert.equal(shared.status, 403);
  assert.deepEqual(await namesOf(reader), ["Failing"]);
  assert.deepEqual(await namesOf(owner), []);
  const path = `/v1/views/${made.body.id}`;
  assert.equal((await app.call("PUT", path, { cookie: owner, body: { name: "x" } })).status, 404);
  assert.equal((await app.call("DELETE", path, { cookie: owner })).status, 404);
  const publish = await app.call("PUT", path, { cookie: reader, body: { shared: true } });
  assert.equal(publish.status, 403);
  assert.equal((await app.call("DELETE", path, { cookie: reader })).status, 204);
  assert.equal((await app.call("DELETE", path, { cookie: reader })).status, 404);
});

test("a shared view is visible to everyone and editable with write access", async () => {
  const made = await app.call("POST", "/v1/views", {
    cookie: owner,
    body: { ...body, shared: true },
  });
  const path = `/v1/views/${made.body.id}`;
  assert.deepEqual(await namesOf(reader), ["Failing"]);
  assert.equal((await app.call("PUT", path, { cookie: reader, body: { name: "x" } })).status, 403);
  assert.equal((await app.call("DELETE", path, { cookie: reader })).status, 403);
  const changed = await app.call("PUT", path, { cookie: owner, body: { name: "Down" } });
  assert.deepEqual([changed.body.name, changed.body.query], ["Down", body.query]);
  const writer = await addMember(app, "writer@example.com", { role: "READ_WRITE" });
  const cookie = await signIn(app, writer.email, writer.password);
  const unshare = { cookie, body: { shared: false } };
  assert.equal(
    (await app.call("PUT", path, unshare)).status,
    403,
    "the view belongs to another person",
  );
  assert.equal((await app.call("PUT", path, { cookie, body: { name: "Off" } })).status, 200);
  const { key } = await addStranger(app);
  assert.deepEqual((await app.call("GET", "/v1/views", { key })).body, []);
  const service = await createKey(app, "READ_WRITE");
  assert.equal((await app.call("POST", "/v1/views", { key: service.key, body })).status, 403);
  assert.equal((await app.call("DELETE", path, { cookie: owner })).status, 204);
});

test("the number of views and the length of names and queries are limited", async () => {
  for (let number = 0; number < 50; number += 1) {
    assert.equal((await app.call("POST", "/v1/views", { cookie: owner, body })).status, 201);
  }
  const full = await app.call("POST", "/v1/views", { cookie: owner, body });
  assert.equal(full.status, 409);
  assert.match(full.body.message, /limit of 50 saved views/);
  for (const bad of [{ ...body, name: "" }, { name: "x" }, { ...body, query: "x".repeat(2_001) }]) {
    assert.equal((await app.call("POST", "/v1/views", { cookie: reader, body: bad })).status, 400);
  }
});
