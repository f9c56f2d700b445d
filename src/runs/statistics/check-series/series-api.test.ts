import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";

let app: TestApp;
let checkId: string;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  const body = { name: "Router", request: { hostname: "192.0.2.1" }, activated: false };
  checkId = (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
});
after(() => app.stop());

const read = (query: string, id = checkId) => app.call("GET", `/v1/check-series/${id}?${query}`);

test("a range without runs has all of its slots, empty", async () => {
  const { status, body } = await read(
    "from=2026-11-14T00:00:00Z&to=2026-11-15T00:00:00Z&points=24",
  );
  assert.equal(status, 200);
  assert.equal(body.series.length, 1);
  const [{ total, slots }] = body.series;
  assert.ok(slots.length > 0 && slots.length <= 25);
  assert.deepEqual([total.runs, total.availability, total.state, total.p95], [0, null, null, null]);
  assert.equal(body.metric.name, body.metrics[0].name);
});

test("an invalid query is rejected with the field", async () => {
  for (const [query, field] of [
    ["points=0", "points"],
    ["points=501", "points"],
    ["metric=nothing", "metric"],
    ["from=2026-11-15&to=2026-11-14", "from"],
    ["from=2020-01-01&to=2026-11-14", "from"],
    ["from=yesterday", "from"],
    ["from=2016-12-31T23:59:60Z", "from"],
  ] as const) {
    const { status, body } = await read(query);
    assert.equal(status, 400, query);
    assert.deepEqual(body.validation?.keys, [field], query);
  }
});

test("an unknown check is not found", async () => {
  assert.equal((await read("", randomUUID())).status, 404);
});
