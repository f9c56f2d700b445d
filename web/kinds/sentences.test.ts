import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countOf,
  describeTimeLimits,
  formatActual,
  formatAssertion,
  formatComparison,
  formatInterval,
  formatLimitMs,
  formatSource,
  joinWords,
  needsTarget,
} from "./sentences.ts";

test("intervals and limits are in the largest fitting unit", () => {
  const intervals = [1, 10, 60, 120, 3_600, 86_400].map(formatInterval);
  const expected = ["1 second", "10 seconds", "minute", "2 minutes", "hour", "24 hours"];
  assert.deepEqual(intervals, expected);
  assert.deepEqual([999, 1_000, 1_550, 2_500].map(formatLimitMs), [
    "999 ms",
    "1 s",
    "1550 ms",
    "2.5 s",
  ]);
});

test("words are counted and joined", () => {
  assert.deepEqual([countOf(1, "check"), countOf(2, "check")], ["1 check", "2 checks"]);
  assert.equal(countOf(0, "entry", "entries"), "0 entries");
  assert.deepEqual(
    [joinWords([]), joinWords(["a"]), joinWords(["a", "b", "c"], "or")],
    ["", "a", "a, b or c"],
  );
});

test("a degraded limit at or above the failing one has no effect and is not described", () => {
  const limits = (degradedResponseTime: number | null, maxResponseTime: number | null) =>
    describeTimeLimits({ degradedResponseTime, maxResponseTime });
  assert.equal(limits(500, 2_000).length, 2);
  assert.equal(limits(2_000, 2_000).length, 1);
  assert.match(limits(2_000, 2_000).join(), /fails if .* longer than 2 s/);
  assert.match(limits(500, null).join(), /degraded if .* longer than 500 ms/);
  assert.deepEqual(limits(null, null), ["There is no response time limit."]);
});

test("an assertion reads as a sentence, and an unknown part stays as it is", () => {
  const status = { source: "STATUS_CODE", property: "", comparison: "EQUALS", target: "200" };
  assert.equal(formatAssertion(status, { STATUS_CODE: "status code" }), "status code equals 200");
  assert.match(formatAssertion({ ...status, comparison: "IS_NULL" }, {}), /is null$/);
  assert.equal(formatComparison("RESEMBLES"), "RESEMBLES");
  assert.deepEqual(["EQUALS", "IS_NULL", "NOT_EMPTY"].map(needsTarget), [true, false, false]);
  assert.deepEqual(["JSON_BODY", "STATUS_CODE", "TTL"].map(formatSource), [
    "JSON body",
    "status code",
    "TTL",
  ]);
});

test("a measured value has at most four significant digits", () => {
  const shown = [1.234_567, 12, "text", null, { a: 1 }, undefined].map(formatActual);
  assert.deepEqual(shown, ["1.235", "12", "text", "null", '{"a":1}', ""]);
});
