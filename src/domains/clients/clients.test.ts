import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey } from "../../../test/support/apps/cast.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

test("GET /next/accounts/{id} has the default runtime and the features of the server", async () => {
  const { accountId } = app.owner;
  const { status, body } = await app.call("GET", `/next/accounts/${accountId}`);
  assert.equal(status, 200);
  assert.equal(body.id, accountId);
  assert.equal(body.runtimeId, "2025.04");
  assert.deepEqual(body.features, ["EXTENDED_RESPONSE_TIME_LIMITS"]);
  assert.deepEqual((await app.call("GET", "/next/accounts")).body, [body]);
});

test("an account of another user is forbidden", async () => {
  const { key } = await addStranger(app);
  const answer = await app.call("GET", `/next/accounts/${app.owner.accountId}`, { key });
  assert.equal(answer.status, 403);
});

test("GET /next/users/me names the user, or the key if it has no user", async () => {
  assert.equal((await app.call("GET", "/next/users/me")).body.name, "owner@example.com");
  const { key } = await createKey(app, "READ_ONLY", { type: "SERVICE" });
  const { body } = await app.call("GET", "/next/users/me", { key });
  assert.equal(body.id, null);
  assert.ok(body.name.length > 0);
});

test("GET /v1/accounts/me/entitlements lists locations and no plan limits", async () => {
  const { body } = await app.call("GET", "/v1/accounts/me/entitlements");
  assert.equal(body.plan, "SELF_HOSTED");
  assert.equal(body.locations.all.length, 22);
  assert.deepEqual(body.entitlements, []);
});

test("GET /v1/error-groups/checks/{id} is empty for a check and 404 for none", async () => {
  const check = { name: "Router", request: { hostname: "192.0.2.1" } };
  const { id } = (await app.call("POST", "/v1/checks/icmp", { body: check })).body;
  const { body } = await app.call("GET", `/v1/error-groups/checks/${id}`);
  assert.deepEqual(body, []);
  const unknown = "/v1/error-groups/checks/00000000-0000-4000-8000-000000000000";
  assert.equal((await app.call("GET", unknown)).status, 404);
});
