import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { createMetrics, RequestTimes } from "./metrics.ts";

test("each route, method and status has its own cumulative buckets", () => {
  const times = new RequestTimes();
  const observe = times.forRoute("GET", "/v1/x");
  for (const elapsedMs of [0.5, 1, 3, 40, 6_000]) observe(200, elapsedMs);
  observe(404, 2);
  const text = times.write();
  const labels = 'method="GET",route="/v1/x",status="200"';
  for (const [bound, count] of Object.entries({ "0.001": 2, "0.005": 3, "0.05": 4, "+Inf": 5 })) {
    assert.ok(text.includes(`_bucket{le="${bound}",${labels}} ${count}\n`), bound);
  }
  assert.ok(text.includes(`_count{${labels}} 5\n`));
  assert.ok(text.includes(`_count{method="GET",route="/v1/x",status="404"} 1\n`));
});

test("buckets never decrease, and the last one includes all requests", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 10_000, noNaN: true })), (list) => {
      const times = new RequestTimes();
      const observe = times.forRoute("GET", "/");
      for (const elapsedMs of list) observe(200, elapsedMs);
      const counts = [...times.write().matchAll(/_bucket\{[^}]*\} (\d+)/g)].map(([, n]) =>
        Number(n),
      );
      assert.deepEqual(
        counts,
        [...counts].sort((one, other) => one - other),
      );
      assert.equal(counts.at(-1) ?? 0, list.length);
    }),
  );
});

test("the series stay bounded and complete for any number of routes and statuses", () => {
  const times = new RequestTimes();
  for (let number = 0; number < 1_000; number += 1) times.forRoute("GET", `/${number}`)(200, 1);
  const text = times.write();
  assert.ok(text.length < 300_000, `${text.length} characters`);
  assert.ok(text.includes('_count{method="other",route="other",status="other"} 800\n'));
});

test("counters, and only they, end with _total, as promtool requires", async () => {
  const text = await createMetrics().write();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  assert.ok(types.length > 10);
  for (const [line, name = "", type] of types) {
    assert.equal(name.endsWith("_total"), type === "counter", line);
  }
});

test("metrics of an app that has ended are collected as garbage", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  const registry = new WeakRef(createMetrics().registry);
  // A weak reference keeps its object until the current task has ended.
  await setImmediate();
  collectGarbage();
  assert.equal(registry.deref(), undefined);
});
