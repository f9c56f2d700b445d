/** Tests POST /v1/checks/many: each check is created or rejected independently. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { createKey } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { allKinds } from "../../kinds/index.ts";
import { maxChecks } from "./many-checks.ts";

let app: TestApp;

before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const create = (checks: readonly unknown[], query = "") =>
  app.call("POST", `/v1/checks/many${query}`, { body: { checks } });

const examples = allKinds.map(({ type, operations }) => ({
  checkType: type,
  name: `One of ${type}`,
  activated: false,
  ...operations.example,
}));

/** Removes ids and tokens, which differ for each check. */
const withoutIds = (check: object) =>
  JSON.stringify(check).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "an id");

test("checks of every kind are created in one request, each as at its own route", async () => {
  const { status, body } = await create(examples);
  assert.equal(status, 200);
  assert.deepEqual([body.created, body.refused], [examples.length, 0]);
  for (const [index, example] of examples.entries()) {
    const { id, error } = body.items[index];
    assert.equal(error, null);
    const alone = await app.call("POST", "/v1/checks", { body: example });
    const { body: made } = await app.call("GET", `/v1/checks/${id}`);
    assert.deepEqual(withoutIds(made), withoutIds(alone.body));
  }
});

test("an invalid check gets the error of the single route and does not affect others", async () => {
  const [good] = examples;
  const bad = [{}, null, { ...good, name: "" }, { ...good, checkType: "NONE" }];
  const { status, body } = await create([good, ...bad, good]);
  assert.equal(status, 200);
  assert.deepEqual([body.created, body.refused], [2, 4]);
  const [first, ...rest] = body.items;
  assert.equal(first.error, null);
  assert.equal(rest.at(-1).error, null);
  for (const [index, one] of bad.entries()) {
    const { id, error } = rest[index];
    assert.equal(id, null);
    if (one === null) continue;
    const alone = await app.call("POST", "/v1/checks", { body: one });
    assert.equal(alone.status, 400);
    assert.equal(error.message, alone.body.message);
    assert.deepEqual(error.keys, alone.body.validation.keys);
  }
});

test("one audit entry lists all created checks, and the history of each contains it", async () => {
  const [good] = examples;
  const count = async () => (await app.query("select count(*) as n from audit_entries")).rows[0]?.n;
  const before = Number(await count());
  const { body } = await create([{ ...good, name: "First" }, good, {}]);
  assert.equal(Number(await count()), before + 1);
  const [{ id }] = body.items;
  await app.call("PUT", `/v1/checks/${id}`, { body: { muted: true } });
  const { body: log } = await app.call("GET", `/v1/audit-log?limit=10&targetId=${id}`);
  const [updated, created] = log.entries;
  assert.deepEqual([updated.action, updated.target.name], ["check.updated", "First"]);
  assert.deepEqual([created.action, created.target.name], ["check.created", "2 checks"]);
  const named = created.changes.items.map((item: { id: string; name: string }) => item.name);
  assert.deepEqual(named, ["First", good?.name]);
  const hourMs = 3_600_000;
  const at = (ms: number) => new Date(app.clock.now().getTime() + ms).toISOString();
  const range = `from=${at(-hourMs)}&to=${at(hourMs)}`;
  const { text } = await app.call("GET", `/v1/check-timelines/${id}?${range}`);
  assert.match(text, /check\.created/);
});

test("an invalid check of a database reference leaves the valid ones of the list", async () => {
  const token = randomUUID();
  const beat = examples.find(({ checkType }) => checkType === "HEARTBEAT") as object;
  const schedule = (beat as { heartbeat: object }).heartbeat;
  const withToken = { ...beat, heartbeat: { ...schedule, pingToken: token } };
  const { body } = await create([withToken, withToken, { ...examples[0], groupId: 4_000_000 }]);
  assert.deepEqual([body.created, body.refused], [1, 2]);
  assert.deepEqual(body.items[1].error.keys, ["heartbeat.pingToken"]);
  assert.deepEqual(body.items[2].error.keys, ["groupId"]);
  const again = await create([withToken]);
  assert.deepEqual(again.body.items[0].error.keys, ["heartbeat.pingToken"]);
});

test("checks of a list subscribe to channels as single checks", async () => {
  const address = { address: "ops@example.test" };
  const channel = await app.call("POST", "/v1/alert-channels", {
    body: { type: "EMAIL", config: address },
  });
  const alertChannelSubscriptions = [{ alertChannelId: channel.body.id, activated: false }];
  const named = { ...examples[0], alertChannelSubscriptions };
  const { body } = await create([named, examples[0]], "?autoAssignAlerts=true");
  const read = async (id: string) =>
    (await app.call("GET", `/v1/checks/${id}`)).body.alertChannelSubscriptions;
  assert.deepEqual(await read(body.items[0].id), alertChannelSubscriptions);
  assert.deepEqual(await read(body.items[1].id), [
    { alertChannelId: channel.body.id, activated: true },
  ]);
});

test("a retry with the same key creates only the missing checks", async () => {
  const [good] = examples;
  const checks = [good, { ...good, groupId: 4_000_000 }, good];
  const post = (body: object, key: string) =>
    app.call("POST", "/v1/checks/many", { body, headers: { "idempotency-key": key } });
  const first = await post({ checks }, "list one");
  assert.deepEqual([first.body.created, first.body.refused], [2, 1]);
  const count = async () => (await app.query("select count(*) as n from checks")).rows[0]?.n;
  const before = await count();
  const [again, atOnce] = await Promise.all([
    post({ checks }, "list one"),
    post({ checks }, "list one"),
  ]);
  assert.deepEqual(again.body, first.body);
  assert.deepEqual(atOnce.body, first.body);
  assert.equal(await count(), before);
  assert.equal((await post({ checks: [good] }, "list one")).status, 409);
  const [{ id }] = first.body.items;
  assert.equal((await app.call("DELETE", `/v1/checks/${id}`)).status, 204);
  const { body: afterDelete } = await post({ checks }, "list one");
  assert.match(afterDelete.items[0].error.message, /was deleted/);
});

test("a single check is created once for each key, on the route of its kind and on the generic route", async () => {
  const [{ checkType: _type, ...own } = { checkType: "" }] = examples;
  const [{ path } = { path: "" }] = allKinds;
  for (const [route, body] of [
    ["/v1/checks", examples[0]],
    [`/v1/checks/${path}`, own],
  ] as const) {
    const post = (sent: object | undefined) =>
      app.call("POST", route, { body: sent, headers: { "idempotency-key": route } });
    const first = await post(body);
    assert.equal(first.status, 201, first.text);
    assert.equal((await post(body)).body.id, first.body.id);
    assert.equal((await post({ ...body, name: "Another" })).status, 409);
  }
});

test("an empty list, too many checks and a role without write access are rejected", async () => {
  assert.equal((await create([])).status, 400);
  assert.equal((await create(Array(maxChecks + 1).fill({}))).status, 400);
  const { key } = await createKey(app, "READ_ONLY");
  const body = { checks: examples };
  const { status } = await app.call("POST", "/v1/checks/many", { body, key });
  assert.equal(status, 403);
});
