import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserSettings } from "./budgets.ts";
import { browser } from "./index.ts";

const request = { runtime: null, script: "", scriptPath: null, dependencies: [], timeoutMs: 1_000 };
const vitals = { ttfbMs: 84, fcpMs: 310, lcpMs: 2_600, cls: 0.12 };
const page = { url: "https://shop.example.com/", startMs: 0, status: 200, vitals };
const lists = { consoleErrors: [], pageErrors: [], requestErrors: [] };
const fast = { ...vitals, lcpMs: null, cls: 0 };
const measurement = {
  ...{ end: "passed" as const, durationMs: 815, cpuMs: null, memoryBytes: null },
  ...{ runtime: "2025.04", isolation: "A2", steps: [], errors: [], logs: [], connections: [] },
  pages: [
    { ...page, ...lists, vitals: fast },
    { ...page, ...lists, url: "https://shop.example.com/cart" },
  ],
  isCut: false,
};

function judge(webVitalBudgets: BrowserSettings["webVitalBudgets"], change: object = {}) {
  const plain = { shouldFail: false, degradedResponseTime: null, maxResponseTime: null };
  const script = { runtimeId: null, script: "1", scriptPath: null, dependencies: [] };
  const own = { ...script, sslCheckDomain: null, snapshots: [] };
  const outcome = { kind: "measured" as const, measurement: { ...measurement, ...change } };
  const run = { request, startedAtMs: 0, outcome };
  const { verdict, reasons } = browser.judge({ ...plain, ...own, webVitalBudgets }, run);
  return [verdict, ...reasons.map(({ name }) => name)];
}

test("a check that an earlier version stored has no snapshots", () => {
  const stored = {} as BrowserSettings;
  assert.deepEqual(browser.showSettings?.(stored, { publicUrl: "" }), { snapshots: [] });
  assert.deepEqual(browser.code?.keys(stored), []);
});

test("the vitals of a run are those of its worst page, and statistics read them from a stored run", () => {
  const startedAtMs = 1_700_000_000_000;
  const run = { request, startedAtMs, outcome: { kind: "measured" as const, measurement } };
  const none = { ...measurement, pages: [] };
  assert.deepEqual(browser.figures(measurement).parts, [84, 310, 2_600, 0.12]);
  assert.deepEqual(browser.figures(none).parts, [null, null, null, null]);
  for (const [outcome, expected] of [
    [run.outcome, [84, 310, 2_600, 0.12, "815"]],
    [{ ...run.outcome, measurement: none }, ["815"]],
    [{ kind: "overloaded" as const, message: "Too many scripts." }, []],
  ] as const) {
    const detail = browser.encode({ ...run, outcome });
    const found: (number | string)[] = [];
    const view = new DataView(detail.buffer, detail.byteOffset, browser.figureBytes);
    browser.readFigures(view, 0, view.byteLength, {
      counter: () => assert.fail("There are no counters."),
      part: (place, value) => found.splice(place, 0, Math.round(value * 1_000) / 1_000),
      sample: (valueMs) => found.push(String(valueMs)),
    });
    assert.deepEqual(found, expected);
    const trouble = outcome.kind === "measured" ? null : outcome;
    assert.deepEqual(browser.decode(detail, { startedAtMs, trouble }).outcome, outcome);
  }
});

test("web vitals above their budgets degrade or fail a run whose script passes", () => {
  const failing = { LCP: { degraded: 1_000, failing: 2_500 }, CLS: { degraded: 0.1 } };
  assert.deepEqual(judge(null), ["passing", "all-within-limits"]);
  assert.deepEqual(judge({ LCP: { degraded: 2_600 }, FCP: null }), [
    "passing",
    "all-within-limits",
  ]);
  assert.deepEqual(judge({ LCP: { degraded: 2_500, failing: null } }), [
    "degraded",
    "web-vital-above-degraded",
  ]);
  assert.deepEqual(judge(failing), ["failing", "web-vital-above-failing"]);
  assert.deepEqual(judge(failing, { end: "failed" }), ["failing", "script-failed"]);
});

test("a breach is explained with the page and both figures", () => {
  const figures = { value: 2_600, limit: 2_500, url: "https://shop.example.com/cart" };
  const reason = { name: "web-vital-above-degraded" as const, vital: "LCP" as const, ...figures };
  assert.equal(
    browser.explain(reason),
    "LCP of https://shop.example.com/cart was 2.6 s, above 2.5 s",
  );
});

test("budgets are kept by an update without them, and a failing limit is not below the degraded one", () => {
  const budgets = { LCP: { degraded: 2_500 } };
  const made = browser.mergeSettings(null, { script: "1", webVitalBudgets: budgets });
  const changed = browser.mergeSettings(made as BrowserSettings, { script: "2" });
  assert.deepEqual((changed as BrowserSettings).webVitalBudgets, budgets);
  const crossed = { CLS: { degraded: 0.25, failing: 0.1 } };
  const faults = browser.findFaults({ ...(made as BrowserSettings), webVitalBudgets: crossed });
  assert.deepEqual(
    faults.map(({ key }) => key),
    ["webVitalBudgets.CLS.failing"],
  );
});
