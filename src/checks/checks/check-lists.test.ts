import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addStranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp();
  for (const [name, tags] of [
    ["alpha", ["red"]],
    ["beta 100%", ["red", "blue"]],
    ["gamma", ["blue"]],
  ] as const) {
    const body = { name, tags, request: { hostname: "127.0.0.1" } };
    await app.call("POST", "/v1/checks/icmp", { body });
  }
});
after(() => app.stop());

const names = async (query: string) =>
  (await app.call("GET", `/v1/checks?${query}`)).body.map((check: { name: string }) => check.name);

test("checks are listed in pages, with the total in Content-Range", async () => {
  const first = await app.call("GET", "/v1/checks?limit=2&page=1");
  assert.equal(first.headers.get("content-range"), "items 0-1/3");
  assert.equal(first.body.length, 2);
  const second = await app.call("GET", "/v1/checks?limit=2&page=2");
  assert.equal(second.headers.get("content-range"), "items 2-2/3");
  assert.deepEqual(second.body[0].name, "gamma");
  const beyond = await app.call("GET", "/v1/checks?limit=2&page=9");
  assert.equal(beyond.headers.get("content-range"), "items */3");
  assert.deepEqual(beyond.body, []);
});

test("checks are found by tag, by part of their name, by type and by status", async () => {
  assert.deepEqual(await names("tag=red"), ["alpha", "beta 100%"]);
  assert.deepEqual(await names("tag=red&tag=blue"), ["alpha", "beta 100%", "gamma"]);
  assert.deepEqual(await names("search=ALPH"), ["alpha"]);
  assert.deepEqual(await names("search=100%25"), ["beta 100%"]);
  assert.deepEqual(await names("search=_"), []);
  assert.deepEqual(await names("checkType=ICMP&limit=1"), ["alpha"]);
  assert.deepEqual(await names("checkType=API"), []);
  assert.deepEqual(await names("status=failing"), []);
  assert.equal((await app.call("GET", "/v1/checks?status=odd")).status, 400);
  assert.equal((await app.call("GET", "/v1/checks?limit=101")).status, 400);
});

test("the list of another account is empty", async () => {
  const stranger = await addStranger(app);
  assert.deepEqual((await app.call("GET", "/v1/checks", { key: stranger.key })).body, []);
});

test("a group overrides settings of its members and can be deleted only if empty", async () => {
  const group = await app.call("POST", "/v1/check-groups", {
    body: {
      name: "edge",
      muted: true,
      locations: ["us-east-1", "eu-west-1"],
      runParallel: true,
      tags: ["grouped"],
      retryStrategy: { type: "SINGLE_RETRY", baseBackoffSeconds: 5 },
    },
  });
  assert.equal(group.status, 201);
  const path = `/v1/check-groups/${group.body.id}`;
  const check = await app.call("POST", "/v1/checks/icmp", {
    body: {
      name: "member",
      tags: ["own"],
      locations: [],
      groupId: group.body.id,
      request: { hostname: "127.0.0.1" },
    },
  });
  assert.equal(check.status, 201, check.text);
  const own = await app.call("GET", `/v1/checks/${check.body.id}`);
  assert.equal(own.body.muted, false);
  const ruled = await app.call("GET", `/v1/checks/${check.body.id}?applyGroupSettings=true`);
  assert.equal(ruled.body.muted, true);
  assert.equal(ruled.body.runParallel, true);
  assert.deepEqual(ruled.body.locations, ["us-east-1", "eu-west-1"]);
  assert.deepEqual(ruled.body.tags, ["own", "grouped"]);
  assert.equal(ruled.body.retryStrategy.type, "SINGLE_RETRY");
  const members = await app.call("GET", `${path}/checks`);
  assert.deepEqual(members.body, [{ id: check.body.id, checkType: "ICMP" }]);
  const refused = await app.call("DELETE", path);
  assert.equal(refused.status, 409);
  assert.equal(refused.body.message, "the group still has 1 checks");
  await app.call("DELETE", `/v1/checks/${check.body.id}`);
  assert.equal((await app.call("DELETE", path)).status, 204);
  assert.equal((await app.call("GET", path)).status, 404);
});

test("an update of a group keeps omitted fields and rejects invalid values", async () => {
  const { body } = await app.call("POST", "/v1/check-groups", { body: { name: "g", muted: true } });
  const path = `/v1/check-groups/${body.id}`;
  const changed = await app.call("PUT", path, { body: { name: "h" } });
  assert.equal(changed.body.name, "h");
  assert.equal(changed.body.muted, true);
  for (const bad of [{ concurrency: 0 }, { locations: ["x"] }, { name: "" }, { activated: 1 }]) {
    assert.equal((await app.call("PUT", path, { body: bad })).status, 400, JSON.stringify(bad));
  }
  assert.equal((await app.call("GET", "/v1/check-groups/x")).status, 400);
  const list = await app.call("GET", "/v1/check-groups?limit=1");
  assert.match(list.headers.get("content-range") ?? "", /^items 0-0\/\d+$/);
});
