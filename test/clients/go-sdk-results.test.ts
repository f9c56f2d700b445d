/** Requests of the Go SDK for results, replayed over HTTP, see `go-sdk.test.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp } from "../support/apps/app.ts";
import { addCheckWithPast } from "../support/modules/check-history.ts";

test("the SDK lists results, whose response times are whole milliseconds", async (t) => {
  const past = await startTestApp({ BUILT_IN_PROBE: "false" }, { clock: systemClock });
  t.after(() => past.stop());
  const { checkId, fromMs } = await addCheckWithPast(past);
  const read = (path: string) =>
    past.call("GET", `/v1/check-results/${checkId}${path}`, {
      headers: { "x-checkly-account": past.owner.accountId, "x-checkly-source": "go-sdk" },
    });
  const from = Math.floor(fromMs / 1_000) + 3_600;
  const { status, body, text } = await read(`?page=1&limit=100&from=${from}`);
  assert.equal(status, 200, text);
  assert.equal(body.length, 100);
  for (const result of [...body, (await read(`/${body[0].id}`)).body]) {
    // The SDK cannot decode a fraction into its integers.
    for (const field of ["responseTime", "checkRunId", "attempts"]) {
      assert.ok(Number.isInteger(result[field]), `${field} ${result[field]}`);
    }
    assert.ok(result.responseTime > 0);
    for (const field of ["startedAt", "stoppedAt", "created_at"]) {
      assert.match(result[field], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/, field);
    }
  }
  // All locations failed between 6 hours and 5 hours 40 minutes before the end of the history.
  const failed = await read(`?from=${from + 12 * 3_600}&hasFailures=1`);
  assert.equal(failed.status, 200, failed.text);
  assert.ok(failed.body.length > 0);
  for (const { hasFailures } of failed.body) assert.equal(hasFailures, true);
});
