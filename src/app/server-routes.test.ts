import assert from "node:assert/strict";
import { test } from "node:test";
import { captureLog } from "../../test/support/apps/log.ts";
import { createMetrics } from "../platform/metrics.ts";
import { startMetricsServer } from "./server-routes.ts";

test("a separate metrics port renders metrics once a second and serves nothing else", async (t) => {
  let atMs = 5;
  const metrics = createMetrics();
  let written = 0;
  const write = async () => {
    written += 1;
    return metrics.write();
  };
  const place = { host: "127.0.0.1", port: 0 };
  const fixture = { readMs: () => atMs, log: captureLog().log };
  const { port, stop } = await startMetricsServer(place, { ...metrics, write }, fixture);
  t.after(stop);
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask("/metrics")));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.match((await answers[0]?.text()) ?? "", /^vedette_database_up /m);
  assert.equal(written, 1);
  atMs += 999;
  await ask("/metrics");
  assert.equal(written, 1);
  atMs += 1;
  await ask("/metrics");
  assert.equal(written, 2);
  assert.equal((await ask("/v1/runtimes")).status, 404);
});
