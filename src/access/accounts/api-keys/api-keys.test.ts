import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember, createKey, signIn } from "../../../../test/support/apps/cast.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import type { Caller } from "../caller.ts";
import { isAtLeast, roles } from "../caller.ts";
import { apiKeyTypes, decideApiKey } from "./api-key-store.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(() => app.stop());

test("a new key works, is shown once and is masked afterwards", async () => {
  const created = await app.call("POST", "/v1/api-keys", { body: { name: "deploy" } });
  assert.equal(created.status, 201);
  assert.match(created.body.rawKey, /^vd_[\w-]{43}$/);
  assert.equal(created.body.role, "READ_WRITE");
  assert.equal(created.body.type, "USER");
  const used = await app.call("GET", "/v1/accounts/me", { key: created.body.rawKey });
  assert.equal(used.status, 200);
  const listed = await app.call("GET", "/v1/api-keys?limit=100");
  const found = listed.body.entries.find((key: { id: string }) => key.id === created.body.id);
  assert.equal(found.maskedKey, `...${created.body.rawKey.slice(-4)}`);
  assert.equal(listed.text.includes(created.body.rawKey), false);
  const read = await app.call("GET", `/v1/api-keys/${created.body.id}`);
  assert.deepEqual(read.body, found);
});

test("a revoked key is rejected immediately, although it was cached", async () => {
  const { id, key } = await createKey(app, "READ_ONLY");
  assert.equal((await app.call("GET", "/v1/runtimes", { key })).status, 200);
  assert.equal((await app.call("DELETE", `/v1/api-keys/${id}`)).status, 204);
  assert.equal((await app.call("GET", "/v1/runtimes", { key })).status, 401);
  assert.equal((await app.call("DELETE", `/v1/api-keys/${id}`)).status, 404);
});

test("requests on one connection each have the rights of the key they send", async (t) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const sockets = new Set<unknown>();
  const ask = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const [answer] = await once(get(`${app.url}/v1/runtimes`, { agent, headers }), "response");
    sockets.add(answer.socket);
    await answer.resume().toArray();
    return answer.statusCode;
  };
  const { id, key } = await createKey(app, "READ_ONLY");
  const { key: other } = await createKey(app, "READ_ONLY");
  assert.equal(await ask("a-key-that-nobody-was-given"), 401);
  assert.equal(await ask(key), 200);
  assert.equal(await ask("a-key-that-nobody-was-given"), 401);
  assert.equal(await ask(key), 200);
  await app.call("DELETE", `/v1/api-keys/${id}`);
  assert.equal(await ask(key), 401);
  assert.equal(await ask(other), 200);
  assert.equal(sockets.size, 1);
});

test("a key stops working when it expires, although it was cached", async () => {
  const expiresAt = new Date(app.clock.now().getTime() + 60_000).toISOString();
  const { key } = await createKey(app, "READ_ONLY", { expiresAt });
  assert.equal((await app.call("GET", "/v1/runtimes", { key })).status, 200);
  app.clock.advance(59_999);
  assert.equal((await app.call("GET", "/v1/runtimes", { key })).status, 200);
  app.clock.advance(1);
  assert.equal((await app.call("GET", "/v1/runtimes", { key })).status, 401);
});

test("the time of a key's last use is shown", async () => {
  const { id, key } = await createKey(app, "READ_ONLY");
  assert.equal((await app.call("GET", `/v1/api-keys/${id}`)).body.lastUsedAt, null);
  await app.call("GET", "/v1/runtimes", { key });
  const usedAt = app.clock.now().toISOString();
  await waitUntil("the last use is written", async () => {
    const { body } = await app.call("GET", `/v1/api-keys/${id}`);
    return body.lastUsedAt === usedAt;
  });
});

test("a past expiry, an invalid role or an invalid name is rejected by name", async () => {
  const cases: [Record<string, unknown>, string, RegExp][] = [
    [{ name: "x", expiresAt: "2020-01-01T00:00:00.000Z" }, "expiresAt", /must be in the future/],
    [{ name: "x", expiresAt: "tomorrow" }, "expiresAt", /must be a date and time/],
    [{ name: "x", role: "ROOT" }, "role", /must be one of READ_ONLY, READ_RUN/],
    [{ name: "" }, "name", /name/],
    [{ name: " \t " }, "name", /name/],
    [{ name: "x".repeat(256) }, "name", /255/],
    [{ name: 5 }, "name", /must be a string/],
    [{}, "name", /is required/],
  ];
  for (const [body, key, message] of cases) {
    const answer = await app.call("POST", "/v1/api-keys", { body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.deepEqual(answer.body.validation, { source: "body", keys: [key] });
    assert.match(answer.body.message, message);
  }
});

test("fields that only the server sets are ignored", async () => {
  const body = {
    name: "mass",
    id: "11111111-1111-4111-8111-111111111111",
    userId: null,
    accountId: "11111111-1111-4111-8111-111111111111",
    rawKey: "chosen-by-the-caller-0123456789",
    lastUsedAt: "2020-01-01T00:00:00.000Z",
    created_at: "2020-01-01",
    somethingElse: { deep: [1, 2, 3] },
  };
  const { status, body: created } = await app.call("POST", "/v1/api-keys", { body });
  assert.equal(status, 201);
  assert.notEqual(created.id, body.id);
  assert.notEqual(created.rawKey, body.rawKey);
  assert.equal(created.lastUsedAt, null);
  assert.equal(created.created_at, app.clock.now().toISOString());
});

test("a key cannot have more rights than its creator", async () => {
  const { key } = await createKey(app, "ADMIN");
  const body = { name: "climb", type: "SERVICE", role: "OWNER" };
  assert.equal((await app.call("POST", "/v1/api-keys", { key, body })).status, 403);
});

test("a service key cannot create a user key", async () => {
  const { key } = await createKey(app, "ADMIN");
  const body = { name: "whose?", type: "USER", role: "READ_ONLY" };
  const answer = await app.call("POST", "/v1/api-keys", { key, body });
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body.validation.keys, ["type"]);
});

test("a read-only user can create a key with a session, but not with a key", async () => {
  app.clock.advance(600_000);
  const reader = await addMember(app, "reader@example.com", { role: "READ_ONLY" });
  const cookie = await signIn(app, reader.email, reader.password);
  const created = await app.call("POST", "/v1/api-keys", { cookie, body: { name: "mine" } });
  assert.equal(created.status, 201);
  assert.equal(created.body.role, "READ_ONLY");
  const key = created.body.rawKey;
  const again = await app.call("POST", "/v1/api-keys", { key, body: { name: "child" } });
  assert.equal(again.status, 403);
  const own = await app.call("GET", "/v1/api-keys", { key });
  assert.deepEqual(
    own.body.entries.map((entry: { id: string }) => entry.id),
    [created.body.id],
  );
});

test("pages of keys contain each key exactly once", async () => {
  await Promise.all(Array.from({ length: 7 }, () => createKey(app, "READ_ONLY")));
  const seen: string[] = [];
  let nextId: string | null = null;
  do {
    const page = nextId === null ? "" : `&nextId=${nextId}`;
    const { body } = await app.call("GET", `/v1/api-keys?limit=3${page}`);
    assert.ok(body.length <= 3 && body.length === body.entries.length);
    seen.push(...body.entries.map((entry: { id: string }) => entry.id));
    nextId = body.nextId;
  } while (nextId !== null);
  const whole = await app.call("GET", "/v1/api-keys?limit=100");
  assert.deepEqual(
    seen,
    whole.body.entries.map((entry: { id: string }) => entry.id),
  );
});

test("page limits are enforced", async () => {
  for (const query of ["limit=0", "limit=101", "limit=1.5", "limit=x", "nextId=7"]) {
    const answer = await app.call("GET", `/v1/api-keys?${query}`);
    assert.equal(answer.status, 400, query);
    assert.deepEqual(answer.body.validation, {
      source: "querystring",
      keys: [query.split("=")[0]],
    });
  }
});

test("a new key never exceeds the caller's role, whatever the request contains", () => {
  const anyRole = fc.constantFrom(...roles);
  fc.assert(
    fc.property(
      anyRole,
      fc.option(anyRole, { nil: undefined }),
      fc.option(fc.constantFrom(...apiKeyTypes), { nil: undefined }),
      fc.boolean(),
      (role, wanted, type, hasUser) => {
        const caller = { role, userId: hasUser ? "user" : null } as Caller;
        const decision = decideApiKey(caller, { name: "x", role: wanted, type });
        if (decision.kind !== "granted") return;
        assert.ok(isAtLeast(role, decision.role));
        if (decision.type === "SERVICE") assert.ok(isAtLeast(role, "ADMIN"));
        else assert.ok(hasUser);
      },
    ),
  );
});

test("a key is renamed, keeps working, and the log shows it under its new name", async () => {
  const { id, key } = await createKey(app, "ADMIN", { name: "before" });
  assert.equal((await app.call("GET", "/v1/runtimes", { key })).status, 200);
  const renamed = await app.call("PATCH", `/v1/api-keys/${id}`, { body: { name: "after" } });
  assert.deepEqual([renamed.status, renamed.body.name], [200, "after"]);
  assert.equal((await app.call("GET", `/v1/api-keys/${id}`)).body.name, "after");
  await app.call("PATCH", "/v1/accounts/me", { key, body: { name: "Account" } });
  const log = await app.call("GET", "/v1/audit-log?limit=1&action=account.updated");
  assert.match(log.body.entries[0].actor.name, /^after …/);
  for (const body of [{ name: " " }, {}, { name: "x".repeat(256) }]) {
    assert.equal((await app.call("PATCH", `/v1/api-keys/${id}`, { body })).status, 400);
  }
  const gone = "/v1/api-keys/0198c1f0-0000-7000-8000-000000000000";
  assert.equal((await app.call("PATCH", gone, { body: { name: "x" } })).status, 404);
});

test("the address of a key's last use is shown", async () => {
  const { id, key } = await createKey(app, "READ_ONLY");
  assert.equal((await app.call("GET", `/v1/api-keys/${id}`)).body.lastUsedAddress, null);
  await app.call("GET", "/v1/runtimes", { key });
  await waitUntil("the use is saved", async () => {
    const { body } = await app.call("GET", `/v1/api-keys/${id}`);
    return body.lastUsedAt !== null && body.lastUsedAddress === "127.0.0.1";
  });
});
