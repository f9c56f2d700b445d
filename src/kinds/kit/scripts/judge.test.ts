import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptMeasurement, ScriptStep } from "../../../sandbox/script-run.ts";
import { explain, judge, type ScriptReason } from "./judge.ts";

const settings = {
  shouldFail: false,
  degradedResponseTime: null,
  maxResponseTime: null,
  runtimeId: null,
  script: "x",
  scriptPath: null,
  dependencies: [],
};
const request = {
  runtime: null,
  script: "",
  scriptPath: null,
  dependencies: [],
  timeoutMs: 240_000,
};
const passed: ScriptMeasurement = {
  end: "passed",
  durationMs: 815,
  cpuMs: null,
  memoryBytes: null,
  runtime: "2025.04",
  isolation: "A2",
  steps: [],
  errors: [],
  logs: [],
  connections: [],
  pages: [],
  isCut: false,
};

const judgeOne = (change: Partial<ScriptMeasurement>, own: object = {}) =>
  judge(
    { ...settings, ...own },
    {
      request,
      startedAtMs: 0,
      outcome: { kind: "measured", measurement: { ...passed, ...change } },
    },
  );

const explainOne = (change: Partial<ScriptMeasurement>) =>
  judgeOne(change).reasons.map((reason) => explain(reason as ScriptReason));

const step = (title: string, more: Partial<ScriptStep> = {}): ScriptStep => ({
  title,
  category: "step",
  depth: 1,
  startMs: 0,
  durationMs: 1,
  error: null,
  ...more,
});

const error = { message: "boom", stack: null, file: null, line: null, column: null };

test("a script that passes is passing", () => {
  assert.equal(judgeOne({}).verdict, "passing");
});

test("an error is explained with the step, the file and the line", () => {
  const message = "Error: expect(received).toBe(expected)\n\nExpected: 200\nReceived: 500.";
  const steps = [
    step("shop", { category: "test", depth: 0, error: message }),
    step("Log in"),
    step("Pay", { error: message.slice(0, 80) }),
    step("toBe", { category: "expect", depth: 2, error: message }),
  ];
  const errors = [{ ...error, message, file: "shop.spec.ts", line: 12 }];
  const { verdict, isNetworkError, reasons } = judgeOne({ end: "failed", steps, errors });
  assert.deepEqual([verdict, isNetworkError], ["failing", false]);
  assert.equal(
    explain(reasons[0] as ScriptReason),
    "“Pay” failed at shop.spec.ts:12: Error: expect(received).toBe(expected) Expected: 200 Received: 500",
  );
});

test("a failure without an error message is still explained", () => {
  assert.deepEqual(explainOne({ end: "failed" }), [
    "the script failed: the script ended with a failure and without an error message",
  ]);
});

test("a failed connection is a network error, unlike an assertion", () => {
  for (const message of [
    "TypeError: fetch failed: connect ECONNREFUSED 127.0.0.1:1",
    "apiRequestContext.get: getaddrinfo ENOTFOUND shop.example",
    "page.goto: net::ERR_CONNECTION_REFUSED",
    "socket hang up",
  ]) {
    assert.ok(judgeOne({ end: "failed", errors: [{ ...error, message }] }).isNetworkError, message);
  }
});

test("limits are explained with the last step and what to do", () => {
  const steps = [step("Log in")];
  assert.deepEqual(explainOne({ end: "timed-out", steps }), [
    "the script was ended after 240 s during “Log in”; shorten it or split it into several checks",
  ]);
  for (const end of [
    "out-of-memory",
    "too-much-output",
    "too-many-processes",
    "crashed",
  ] as const) {
    const [text = ""] = explainOne({ end, steps });
    assert.match(text, /^the .+ during “Log in”/, end);
    assert.equal(judgeOne({ end }).verdict, "failing");
  }
});

test("a denied connection is named beside the failure that it caused", () => {
  const connections = [{ host: "10.0.0.1", port: 80, count: 1, denial: "It is private." }];
  assert.deepEqual(explainOne({ end: "failed", errors: [error], connections }), [
    "the script failed: boom",
    "the probe denied the connection to 10.0.0.1: It is private",
  ]);
  assert.equal(judgeOne({ connections }).verdict, "passing");
});

test("a check has at most three reasons, with short messages", () => {
  const errors = Array.from({ length: 10 }, () => ({ ...error, message: "x".repeat(2_000) }));
  const { reasons } = judgeOne({ end: "failed", errors });
  assert.equal(reasons.length, 3);
  assert.ok(JSON.stringify(reasons).length < 1_500);
});

test("a reason leaves out what Playwright tried, which the run shows", () => {
  const message =
    'Error: expect(locator).toHaveText(expected)\n\nExpected string: "a"\nCall log:\n  - waiting';
  const error = { message, stack: null, file: "script.spec.ts", line: 4, column: 1 };
  const { reasons } = judgeOne({ end: "failed", errors: [error] });
  const expected = 'Error: expect(locator).toHaveText(expected) Expected string: "a"';
  assert.deepEqual(
    reasons.map((reason) => "message" in reason && reason.message),
    [expected],
  );
});
