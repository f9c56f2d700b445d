import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp();
});
after(() => app.stop());

const create = async (body: Readonly<Record<string, unknown>>) =>
  (await app.call("POST", "/v1/dashboards", { body: { header: "Wall", ...body } })).body;
const keysOf = (id: string) => `/v1/dashboards/${id}/keys`;

test("a private dashboard is created with a key, shown only in that response", async () => {
  const made = await create({ isPrivate: true });
  assert.equal(made.keys.length, 1);
  assert.match(made.keys[0].rawKey, /^da_[0-9a-f]{32}$/);
  assert.equal(made.keys[0].maskedKey, `da_...${made.keys[0].rawKey.slice(-4)}`);
  assert.match(made.keys[0].created_at, /^2026-11-15T12:00:00\.000Z$/);
  for (const path of [
    `/v1/dashboards/${made.dashboardId}`,
    keysOf(made.dashboardId),
    "/v1/dashboards?limit=100",
  ]) {
    const answer = await app.call("GET", path);
    assert.ok(answer.text.includes(made.keys[0].maskedKey), path);
    assert.equal(answer.text.includes(made.keys[0].rawKey), false, path);
    assert.equal(answer.text.includes("rawKey"), false, path);
  }
  const { rows } = await app.query("select * from page_keys where page_id = $1", [
    made.dashboardId,
  ]);
  assert.equal(JSON.stringify(rows).includes(made.keys[0].rawKey), false);
});

test("becoming private creates the first key, and only the first", async () => {
  const made = await create({ isPrivate: false });
  assert.deepEqual(made.keys, []);
  const path = `/v1/dashboards/${made.dashboardId}`;
  const { body: turned } = await app.call("PUT", path, { body: { isPrivate: true } });
  assert.match(turned.keys[0].rawKey, /^da_/);
  const { body: again } = await app.call("PUT", path, { body: { isPrivate: true } });
  assert.deepEqual(
    again.keys.map((key: { id: string }) => key.id),
    [turned.keys[0].id],
  );
  assert.equal(again.keys[0].rawKey, undefined);
});

test("after deleting the last key, a new one is created only on request", async () => {
  const made = await create({ isPrivate: true });
  const path = `/v1/dashboards/${made.dashboardId}`;
  await app.call("DELETE", `${path}/keys/${made.keys[0].id}`);
  const { body: changed } = await app.call("PUT", path, {
    body: { header: "Another", isPrivate: true },
  });
  assert.deepEqual(changed.keys, []);
  const { body: asked } = await app.call("PUT", path, { body: { keys: true } });
  assert.match(asked.keys[0].rawKey, /^da_/);
});

test("keys: false creates none, and a list of keys is ignored", async () => {
  const made = await create({ isPrivate: true, keys: false });
  assert.deepEqual(made.keys, []);
  const keys = [{ id: "x", rawKey: "da_00000000000000000000000000000000", maskedKey: "y" }];
  const other = await create({ isPrivate: true, keys });
  assert.equal(other.keys.length, 1);
  assert.notEqual(other.keys[0].rawKey, keys[0]?.rawKey);
});

test("keys are added up to ten, rotated and deleted", async () => {
  const made = await create({ isPrivate: true });
  const path = keysOf(made.dashboardId);
  for (let count = 1; count < 10; count += 1) {
    const added = await app.call("POST", path);
    assert.equal(added.status, 201);
    assert.match(added.body.rawKey, /^da_/);
  }
  const tooMany = await app.call("POST", path);
  assert.equal(tooMany.status, 409);
  const [first] = made.keys;
  const rotated = await app.call("POST", `${path}/${first.id}/rotate`);
  assert.equal(rotated.status, 200);
  assert.equal(rotated.body.id, first.id);
  assert.notEqual(rotated.body.rawKey, first.rawKey);
  assert.ok(rotated.body.updated_at);
  assert.equal((await app.call("DELETE", `${path}/${first.id}`)).status, 204);
  assert.equal((await app.call("DELETE", `${path}/${first.id}`)).status, 404);
  assert.equal((await app.call("POST", `${path}/${first.id}/rotate`)).status, 404);
  assert.equal((await app.call("GET", path)).body.length, 9);
  assert.equal((await app.call("GET", keysOf("nothing1"))).status, 404);
  assert.equal((await app.call("POST", `${path}/not-a-guid/rotate`)).status, 400);
});

test("a key works for its own dashboard only", async () => {
  const one = await create({ isPrivate: true });
  const two = await create({ isPrivate: true });
  const path = `${keysOf(two.dashboardId)}/${one.keys[0].id}`;
  assert.equal((await app.call("DELETE", path)).status, 404);
  assert.equal((await app.call("POST", `${path}/rotate`)).status, 404);
});
