import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { ownerKey, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { createKey } from "../../../test/support/apps/cast.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ RATE_LIMIT_PER_MINUTE: "10" });
});
beforeEach(() => app.clock.advance(60_000));
after(() => app.stop());

const read = (key: string | null = ownerKey) => app.call("GET", "/v1/runtimes/2025.04", { key });

test("every response shows the remaining quota of the key; beyond it, 429", async () => {
  for (let used = 1; used <= 10; used += 1) {
    const answer = await read();
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("ratelimit-limit"), "10");
    assert.equal(answer.headers.get("ratelimit-remaining"), String(10 - used));
    assert.equal(answer.headers.get("ratelimit-reset"), "60");
  }
  app.clock.advance(18_500);
  const rejected = await read();
  assert.equal(rejected.status, 429);
  assert.equal(rejected.headers.get("retry-after"), "42");
  assert.equal(rejected.headers.get("ratelimit-remaining"), "0");
  assert.deepEqual(rejected.body, {
    statusCode: 429,
    error: "Too Many Requests",
    message: "Too Many Requests",
    attributes: {},
  });
  app.clock.advance(41_500);
  assert.equal((await read()).status, 200);
});

test("one key's excess does not touch another's", async () => {
  const { key } = await createKey(app, "READ_ONLY");
  for (let used = 0; used < 12; used += 1) await read();
  assert.equal((await read()).status, 429);
  assert.equal((await read(key)).status, 200);
});

test("wrong keys count against the address until 429; valid keys keep working", async () => {
  await read();
  for (let guess = 1; guess <= 10; guess += 1) {
    assert.equal((await read(`guess-number-${guess}-of-many`)).status, 401);
  }
  const rejected = await read("guess-number-11-of-many");
  assert.equal(rejected.status, 429);
  assert.ok(rejected.headers.get("retry-after"));
  assert.equal((await read(null)).status, 429);
  assert.equal((await read()).status, 200);
});

test("public routes count against the address; health and metrics against nothing", async () => {
  for (let used = 0; used < 10; used += 1) {
    assert.equal((await app.call("GET", "/openapi.json", { key: null })).status, 200);
  }
  assert.equal((await app.call("GET", "/openapi.json", { key: null })).status, 429);
  assert.equal((await app.call("GET", "/healthz", { key: null })).status, 200);
  assert.equal((await app.call("GET", "/metrics", { key: null })).status, 200);
});

test("X-Forwarded-For is accepted from a trusted proxy only", async () => {
  const forged = (n: number) => ({ "x-forwarded-for": `198.51.100.${n}` });
  const guess = (on: TestApp, n: number) =>
    on.call("GET", "/v1/runtimes", { key: `guess-${n}-0123456789abcdef`, headers: forged(n) });
  for (let n = 1; n <= 10; n += 1) await guess(app, n);
  assert.equal((await guess(app, 11)).status, 429);
  const proxied = await startTestApp({
    RATE_LIMIT_PER_MINUTE: "10",
    TRUSTED_PROXIES: "127.0.0.0/8",
  });
  try {
    for (let n = 1; n <= 12; n += 1) assert.equal((await guess(proxied, n)).status, 401);
  } finally {
    await proxied.stop();
  }
});

test("dashboards and metrics have a separate limit, ten times higher", async () => {
  const fetchPage = (path: string) => app.call("GET", path, { key: null });
  const paths = ["/dashboards/nobody/page.css", "/metrics"];
  for (let used = 0; used < 100; used += 1) {
    const answer = await fetchPage(paths[used % paths.length] ?? "");
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("ratelimit-remaining"), null);
  }
  for (const path of [...paths, "/dashboards/nobody/view"]) {
    const rejected = await fetchPage(path);
    assert.equal(rejected.status, 429, path);
    assert.ok(Number(rejected.headers.get("retry-after")) > 0, path);
  }
  for (const path of ["/healthz", "/status/nobody/page.css"]) {
    assert.equal((await fetchPage(path)).status, 200, path);
  }
  assert.equal((await read()).status, 200, "requests with a key are not affected");
});
