import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ownerKey, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../test/support/apps/cast.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await startTestApp();
  stranger = await addStranger(app);
});
after(() => app.stop());

test("an account is read as `me`, by its id, and in the list", async () => {
  const me = await app.call("GET", "/v1/accounts/me");
  assert.deepEqual(me.body, {
    id: app.owner.accountId,
    name: "Vedette",
    requiresSecondFactor: false,
    plan: "SELF_HOSTED",
    planDisplayName: "Self-hosted",
    role: "OWNER",
    created_at: "2026-11-15T12:00:00.000Z",
    updated_at: null,
  });
  assert.deepEqual((await app.call("GET", `/v1/accounts/${app.owner.accountId}`)).body, me.body);
  const list = await app.call("GET", "/v1/accounts");
  assert.deepEqual(list.body[0], me.body);
});

test("a renamed account has a new updated_at", async () => {
  const { body } = await app.call("PATCH", "/v1/accounts/me", { body: { name: "Náměstí ✓" } });
  assert.equal(body.name, "Náměstí ✓");
  assert.equal(body.updated_at, app.clock.now().toISOString());
});

test("changing an account ignores an id in the body", async () => {
  const key = await createKey(app, "ADMIN");
  const { accountId: id } = stranger;
  const before = await app.call("GET", "/v1/accounts/me", { account: id });
  const body = { id, name: "Taken over" };
  const answer = await app.call("PATCH", "/v1/accounts/me", { key: key.key, body });
  assert.equal(answer.body.id, app.owner.accountId);
  const after = await app.call("GET", "/v1/accounts/me", { account: id });
  assert.deepEqual(after.body, before.body);
});

test("x-service-account selects one of the accounts of a user's key", async () => {
  const other = await app.call("GET", "/v1/accounts/me", { account: stranger.accountId });
  assert.equal(other.body.name, "Elsewhere");
  const upper = stranger.accountId.toUpperCase();
  assert.equal((await app.call("GET", "/v1/accounts/me", { account: upper })).status, 200);
});

test("a service key acts for its own account only", async () => {
  const { key } = await createKey(app, "OWNER");
  const answer = await app.call("GET", "/v1/accounts/me", { key, account: stranger.accountId });
  assert.equal(answer.status, 403);
  assert.equal((await app.call("GET", "/v1/accounts", { key })).body.length, 1);
});

test("a missing account and a foreign account receive the same error", async () => {
  const nowhere = "11111111-1111-4111-8111-111111111111";
  for (const account of [nowhere, app.owner.accountId]) {
    const byHeader = await app.call("GET", "/v1/accounts/me", { key: stranger.key, account });
    const byPath = await app.call("GET", `/v1/accounts/${account}`, { key: stranger.key });
    assert.equal(byHeader.status, 403);
    assert.equal(byPath.status, 403);
    assert.deepEqual(byHeader.body, byPath.body);
  }
});

test("an account header that is not a GUID is rejected by name", async () => {
  for (const account of ["7", "me", "not-a-guid", `${app.owner.accountId}x`]) {
    const answer = await app.call("GET", "/v1/runtimes", { account });
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body.validation, { source: "headers", keys: ["x-service-account"] });
  }
  const path = await app.call("GET", "/v1/accounts/7");
  assert.deepEqual(path.body.validation, { source: "params", keys: ["accountId"] });
});

test("a path and a header that name different accounts are rejected", async () => {
  const path = `/v1/accounts/${app.owner.accountId}`;
  assert.equal((await app.call("GET", path, { account: stranger.accountId })).status, 403);
  assert.equal((await app.call("GET", path, { account: app.owner.accountId })).status, 200);
});

test("the audit log records who did what from where, without secrets", async () => {
  const created = await createKey(app, "READ_ONLY", { name: "audited" });
  const { body, text } = await app.call("GET", "/v1/audit-log?action=api-key.created&limit=1");
  const [entry] = body.entries;
  assert.equal(entry.target.id, created.id);
  assert.equal(entry.actor.type, "API_KEY");
  assert.match(entry.actor.name, /^First key …/);
  assert.equal(entry.address, "127.0.0.1");
  assert.ok(entry.requestId);
  assert.equal(entry.changes.name, "audited");
  assert.equal(text.includes(created.key), false);
  assert.equal(text.includes(ownerKey), false);
});

test("the audit log of one account contains no entries of another", async () => {
  const { body } = await app.call("GET", "/v1/audit-log?limit=100", { key: stranger.key });
  const texts = JSON.stringify(body);
  assert.equal(texts.includes(app.owner.accountId), false);
  assert.equal(texts.includes("audited"), false);
  assert.ok(body.entries.some((entry: { action: string }) => entry.action === "account.created"));
});
