import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "./metrics.ts";

test("counters, and only they, end with _total, as promtool requires", async () => {
  const text = await createMetrics().write();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  assert.ok(types.length > 10);
  for (const [line, name = "", type] of types) {
    assert.equal(name.endsWith("_total"), type === "counter", line);
  }
});
