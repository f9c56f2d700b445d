import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../../test/support/properties.ts";
import {
  decideTestStatus,
  endStaleResults,
  findStoppedAt,
  parseJob,
  resultStatuses,
  type TestResult,
} from "./test-session.ts";

const nowMs = Date.parse("2026-11-19T12:00:00Z");
const ago = (minutes: number) => new Date(nowMs - minutes * 60_000);
const statuses = fc.array(fc.record({ status: fc.constantFrom(...resultStatuses) }));

const result = (status: TestResult["status"]) =>
  ({ id: status, status, error: null, stoppedAt: null }) as TestResult;

test("a session runs until every result has ended, then one failure fails it", () => {
  fc.assert(
    fc.property(statuses, (results) => {
      const has = (one: string) => results.some(({ status }) => status === one);
      const expected = has("RUNNING")
        ? "RUNNING"
        : has("FAILED")
          ? "FAILED"
          : has("CANCELLED")
            ? "CANCELLED"
            : "PASSED";
      assert.equal(decideTestStatus(results), expected);
    }),
    { numRuns: propertyRuns },
  );
});

test("results that were running when their server stopped end after the longest session", () => {
  const results = resultStatuses.map(result);
  const end = (minutes: number) =>
    endStaleResults({ startedAt: ago(minutes) }, results, nowMs).map(({ status }) => status);
  assert.deepEqual(end(45), resultStatuses, "not yet");
  assert.deepEqual(end(46), ["CANCELLED", "PASSED", "FAILED", "CANCELLED"]);
  const [ended, passed] = endStaleResults({ startedAt: ago(46) }, results, nowMs);
  assert.match(ended?.error ?? "", /server stopped/);
  assert.equal(passed?.error, null);
});

test("a session has stopped when its last result has", () => {
  assert.equal(findStoppedAt([]), null);
  assert.equal(findStoppedAt([{ stoppedAt: null }]), null);
  const stopped = findStoppedAt([
    { stoppedAt: ago(3) },
    { stoppedAt: ago(1) },
    { stoppedAt: null },
  ]);
  assert.deepEqual(stopped, ago(1));
});

const job = (more: object) =>
  ({
    logicalId: "api",
    sourceInfo: { checkRunSuiteId: "s-1", checkRunId: "r-1" },
    ...more,
  }) as Parameters<typeof parseJob>[0];

test("a check that is not valid does not prevent the others from running", () => {
  const parsed = parseJob(job({ checkType: "TELEPATHY" }), []);
  assert.ok("fault" in parsed.tried);
  assert.deepEqual([parsed.key, parsed.suiteId, parsed.runId], ["api", "s-1", "r-1"]);
  assert.deepEqual([parsed.name, parsed.checkType], ["api", "TELEPATHY"]);
});

test("names of other types become texts of limited length", () => {
  const parsed = parseJob(job({ name: 7, checkType: null }), []);
  assert.deepEqual([parsed.name, parsed.checkType], ["api", "unknown"]);
  assert.equal(parseJob(job({ name: "x".repeat(300) }), []).name.length, 255);
});
