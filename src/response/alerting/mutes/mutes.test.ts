import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { createKey } from "../../../../test/support/apps/cast.ts";
import { maxMutes } from "./mute.ts";

let app: TestApp;
let groupId: number;
const checks = new Map<string, string>();

before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  const group = { name: "Shop", tags: ["shop"] };
  groupId = (await app.call("POST", "/v1/check-groups", { body: group })).body.id;
  for (const [name, more] of [
    ["plain", {}],
    ["grouped", { groupId, tags: ["web"] }],
  ] as const) {
    const body = { name, activated: false, request: { hostname: "192.0.2.1" }, ...more };
    checks.set(name, (await app.call("POST", "/v1/checks/icmp", { body })).body.id);
  }
});
after(() => app.stop());

const inMinutes = (minutes: number) =>
  new Date(app.clock.now().getTime() + minutes * 60_000).toISOString();
const put = (targets: readonly object[], more: object = {}) =>
  app.call("PUT", "/v1/mutes", { body: { targets, mutedUntil: inMinutes(60), ...more } });
const list = async (query = "") => (await app.call("GET", `/v1/mutes?limit=100${query}`)).body;
const endAll = async () => {
  for (const { id } of await list()) await app.call("DELETE", `/v1/mutes/${id}`);
};
const ofCheck = (name: string) => ({ type: "CHECK", checkId: checks.get(name) });

test("a check is muted with an end, a reason and an author, then changed and unmuted", async () => {
  const { key } = await createKey(app, "READ_WRITE", { name: "anna" });
  const body = { targets: [ofCheck("plain")], mutedUntil: inMinutes(60), reason: " New router " };
  const made = await app.call("PUT", "/v1/mutes", { key, body });
  assert.equal(made.status, 200, made.text);
  const [{ id, author, created_at: _created, ...rest }] = made.body;
  assert.match(author, /anna/);
  assert.deepEqual(rest, {
    target: { type: "CHECK", checkId: checks.get("plain"), groupId: null, tag: null },
    name: "plain",
    mutedUntil: body.mutedUntil,
    reason: "New router",
    updated_at: null,
  });
  const path = `/v1/mutes/${id}`;
  const shown = await app.call("GET", path);
  const tag = shown.headers.get("etag") ?? "";
  const change = { mutedUntil: inMinutes(90), reason: "" };
  const changed = await app.call("PUT", path, { body: change, headers: { "if-match": tag } });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual([changed.body.mutedUntil, changed.body.reason], [change.mutedUntil, ""]);
  const stale = { headers: { "if-match": tag } };
  assert.equal((await app.call("PUT", path, { body: change, ...stale })).status, 412);
  assert.equal((await app.call("DELETE", path, stale)).status, 412);
  assert.equal((await app.call("DELETE", path)).status, 204);
  assert.equal((await app.call("GET", path)).status, 404);
  assert.equal((await app.call("PUT", path, { body: change })).status, 404);
  assert.equal((await app.call("DELETE", path)).status, 404);
  const { body: log } = await app.call("GET", "/v1/audit-log?limit=10");
  const actions = log.entries
    .map(({ action }: { action: string }) => action)
    .filter((action: string) => action.startsWith("mute."));
  assert.deepEqual(actions, ["mute.deleted", "mute.updated", "mute.created"]);
});

test("muting a target again replaces its end, and null unmutes many targets at once", async () => {
  const targets = [ofCheck("plain"), ofCheck("grouped"), { type: "TAG", tag: "web" }];
  const first = await put(targets);
  const again = await put([...targets, ofCheck("plain")], { mutedUntil: inMinutes(5) });
  assert.deepEqual(
    again.body.map(({ id }: { id: string }) => id),
    first.body.map(({ id }: { id: string }) => id),
  );
  assert.equal((await list()).length, 3);
  assert.deepEqual((await put(targets, { mutedUntil: null })).body, []);
  assert.deepEqual(await list(), []);
  assert.equal((await put(targets, { mutedUntil: null })).status, 200, "it is idempotent");
});

test("the mutes of a check are its own, its group's, its tags' and the account's", async () => {
  await put([
    ofCheck("plain"),
    ofCheck("grouped"),
    { type: "GROUP", groupId },
    { type: "TAG", tag: "shop" },
    { type: "TAG", tag: "other" },
    { type: "ACCOUNT" },
  ]);
  const names = async (query: string) =>
    (await list(query)).map(
      ({ target, name }: { target: { type: string }; name: string }) => `${target.type} ${name}`,
    );
  assert.deepEqual((await names(`&checkId=${checks.get("plain")}`)).sort(), [
    "ACCOUNT ",
    "CHECK plain",
  ]);
  assert.deepEqual((await names(`&checkId=${checks.get("grouped")}`)).sort(), [
    "ACCOUNT ",
    "CHECK grouped",
    "GROUP Shop",
    "TAG shop",
  ]);
  assert.deepEqual((await names(`&groupId=${groupId}`)).sort(), [
    "ACCOUNT ",
    "GROUP Shop",
    "TAG shop",
  ]);
  assert.deepEqual(await names(`&checkId=${randomUUID()}`), []);
  const page = await app.call("GET", "/v1/mutes?limit=2&page=2");
  assert.equal(page.headers.get("content-range"), "items 2-3/6");
  await endAll();
});

test("a mute that has ended is neither listed nor found", async () => {
  const { body } = await put([ofCheck("plain")], { mutedUntil: inMinutes(1) });
  app.clock.advance(60_000);
  assert.deepEqual(await list(), []);
  assert.equal((await app.call("GET", `/v1/mutes/${body[0].id}`)).status, 404);
  const again = await put([ofCheck("plain")]);
  assert.notEqual(again.body[0].id, body[0].id, "it is another mute");
  await endAll();
});

test("an invalid mute is rejected with the field", async () => {
  const target = ofCheck("plain");
  for (const [body, key] of [
    [{ targets: [] }, "targets"],
    [{ targets: [{ type: "CHECK" }] }, "targets.0.checkId"],
    [{ targets: [target, { type: "CHECK", checkId: randomUUID() }] }, "targets.1.checkId"],
    [{ targets: [target, target, { type: "CHECK", checkId: randomUUID() }] }, "targets.2.checkId"],
    [{ targets: [{ type: "GROUP", groupId: 999_999 }] }, "targets.0.groupId"],
    [{ targets: [{ type: "TAG", tag: "" }] }, "targets.0.tag"],
    [{ targets: [{ type: "OTHER" }] }, "targets.0.type"],
    [{ targets: [target], mutedUntil: inMinutes(-1) }, "mutedUntil"],
    [{ targets: [target], mutedUntil: inMinutes(367 * 24 * 60) }, "mutedUntil"],
    [{ targets: [target], mutedUntil: "2026-12-31T23:59:60Z" }, "mutedUntil"],
    [{ targets: [target], mutedUntil: "tomorrow" }, "mutedUntil"],
    [{ targets: [target], reason: "x".repeat(501) }, "reason"],
  ] as const) {
    const given = { mutedUntil: inMinutes(60), ...body };
    const { status, body: answer } = await app.call("PUT", "/v1/mutes", { body: given });
    assert.equal(status, 400, JSON.stringify(given));
    assert.ok(answer.validation?.keys.includes(key), JSON.stringify(answer));
  }
  assert.deepEqual(await list(), [], "nothing is stored");
});

test("an account has a limited number of mutes", async () => {
  const tagsFrom = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({ type: "TAG", tag: `t${from + at}` }));
  assert.equal((await put(tagsFrom(0, 1_000))).status, 200);
  assert.equal((await put(tagsFrom(1_000, maxMutes - 1_000))).status, 200);
  const over = await put(tagsFrom(maxMutes, 1));
  assert.equal(over.status, 409);
  assert.match(over.body.message, /at most 2000 mutes/);
  assert.equal((await put(tagsFrom(0, 1))).status, 200, "an existing one can be changed");
  for (const from of [0, 1_000]) await put(tagsFrom(from, 1_000), { mutedUntil: null });
});

test("deleting a check or group deletes its mutes, and `muted` of the check is untouched", async () => {
  const body = { name: "gone", activated: false, request: { hostname: "192.0.2.1" } };
  const { id } = (await app.call("POST", "/v1/checks/icmp", { body })).body;
  await put([{ type: "CHECK", checkId: id }]);
  assert.equal((await app.call("GET", `/v1/checks/${id}`)).body.muted, false);
  await app.call("DELETE", `/v1/checks/${id}`);
  assert.deepEqual(await list(), []);
});
