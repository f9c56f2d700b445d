import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../test/support/apps/app.ts";
import { createKey } from "../../test/support/apps/cast.ts";

const secret = "model-secret-canary";

let app: TestApp;
before(async () => {
  app = await startTestApp({
    BUILT_IN_PROBE: "false",
    AI_BASE_URL: `https://user:${secret}@model.example.com/v1`,
    AI_API_KEY: secret,
    AI_MODEL: "some-model",
    SMTP_URL: `smtp://user:${secret}@127.0.0.1:2525`,
    RETENTION_DAYS: "45",
  });
});
after(() => app.stop());

test("an installation reports its version, state and health", async () => {
  await app.call("POST", "/v1/checks/icmp", {
    body: { name: "one", activated: false, request: { hostname: "127.0.0.1" } },
  });
  app.clock.advance(90_000);
  const { status, body, text } = await app.call("GET", "/v1/about");
  assert.equal(status, 200, text);
  assert.match(body.version, /^\d+\.\d+\.\d+/);
  assert.equal(body.uptimeSeconds >= 90, true);
  assert.match(body.database.version, /^\d+\.\d+$/);
  assert.equal(body.database.isEmbedded, false);
  assert.equal(body.database.sizeBytes > 1_000_000, true);
  assert.equal(body.disk.totalBytes > body.disk.freeBytes, true);
  assert.equal(body.retention.resultsDays, 45);
  assert.equal(body.counts.checks, 1);
  assert.deepEqual(body.canSend, { mail: true, textMessages: false, toPrivateAddresses: false });
  assert.deepEqual(body.health.isReady, true);
  assert.ok(body.health.loops.length > 5);
});

test("only an admin sees the host of the model, and nobody sees a secret", async () => {
  const admin = await app.call("GET", "/v1/about");
  assert.deepEqual(admin.body.agent, {
    isBuiltIn: false,
    model: "some-model",
    host: "model.example.com",
  });
  const { key } = await createKey(app, "READ_WRITE");
  const other = await app.call("GET", "/v1/about", { key });
  assert.deepEqual(other.body.agent, { isBuiltIn: false, model: null, host: null });
  for (const { text } of [admin, other]) assert.equal(text.includes(secret), false);
});
