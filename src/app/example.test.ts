import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../test/support/apps/app.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ EXAMPLE: "true", BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

test("the first start monitors this machine every ten seconds", async () => {
  const { body } = await app.call("GET", "/v1/checks?tag=example");
  const [check] = body;
  assert.deepEqual([check.frequency, check.frequencyOffset], [0, 10]);
  const targets: string[] = body.map(
    ({ request }: { request: { hostname?: string; url?: string } }) =>
      request.hostname ?? request.url,
  );
  assert.ok(targets.includes("127.0.0.1"));
  assert.ok(targets.includes(`${app.url}/healthz`), "something that runs without privileges");
  assert.ok(targets.every((target) => /^(127\.0\.0\.1|::1|http:.*)$/.test(target)));
});

test("each of its requests is logged once", () => {
  const lines = app
    .logText()
    .split("\n")
    .filter((line) => line.includes('"statusCode":201'));
  const ids = lines.map((line): string => JSON.parse(line).requestId);
  assert.ok(ids.length >= 6);
  assert.deepEqual(ids, [...new Set(ids)]);
});

test("it is on a status page and on a dashboard, whose URLs were printed", async () => {
  for (const path of ["/status/example", "/dashboards/wall"]) {
    const page = await app.call("GET", path, { key: null });
    assert.equal(page.status, 200, path);
    assert.match(page.text, /This machine/);
  }
});

test("its service follows its checks, and its dashboard shows only them", async () => {
  const { body: services } = await app.call("GET", "/v1/status-pages/services?paginated=false");
  assert.deepEqual(services[0].follows, { checkIds: [], tags: ["example"] });
  const request = { hostname: "192.0.2.1" };
  const body = { name: "Somebody's own host", frequency: 1, request };
  assert.equal((await app.call("POST", "/v1/checks/icmp", { body })).status, 201);
  const { text } = await app.call("GET", "/dashboards/wall", { key: null });
  assert.match(text, /<title>Example: this machine<\/title>/);
  assert.doesNotMatch(text, /own host/);
});

test("without the example an account is empty", async () => {
  const bare = await startTestApp({ BUILT_IN_PROBE: "false" });
  assert.deepEqual((await bare.call("GET", "/v1/checks")).body, []);
  assert.deepEqual((await bare.call("GET", "/v1/status-pages")).body.entries, []);
  await bare.stop();
});
