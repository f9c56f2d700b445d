import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatMs } from "../milliseconds.ts";
import { renderView } from "./render-view.ts";
import { renderSparkline } from "./sparkline.ts";
import { formatAge } from "./text.ts";
import type { DashboardView } from "./view.ts";

const minute = 60_000;

test("ages are written with their two largest parts", () => {
  const cases: [number, string][] = [
    [0, "just now"],
    [59_999, "just now"],
    [minute, "1 min"],
    [59 * minute, "59 min"],
    [60 * minute, "1 h"],
    [61 * minute, "1 h 1 min"],
    [24 * 60 * minute, "1 d"],
    [25 * 60 * minute + 5 * minute, "1 d 1 h"],
    [400 * 24 * 60 * minute, "400 d"],
  ];
  for (const [ms, text] of cases) assert.equal(formatAge(ms), text);
});

test("milliseconds are written with about three figures", () => {
  const cases: [number | null, string][] = [
    [null, "–"],
    [0, "< 1 µs"],
    [0.000_9, "< 1 µs"],
    [0.031, "31 µs"],
    [0.099, "99 µs"],
    [0.21, "0.21 ms"],
    [9.994, "9.99 ms"],
    [12.34, "12.3 ms"],
    [123.4, "123 ms"],
    [1_234, "1.2 s"],
    [12_345, "12 s"],
  ];
  for (const [ms, text] of cases) assert.equal(formatMs(ms), text);
});

const hours = fc.array(
  fc.record({
    avgMs: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: null }),
    runs: fc.nat(60),
    degraded: fc.nat(3),
    failing: fc.nat(3),
  }),
  { minLength: 0, maxLength: 25 },
);

test("a sparkline stays within its frame and within a kilobyte, whatever was measured", () => {
  fc.assert(
    fc.property(hours, (list) => {
      const { text } = renderSparkline(list);
      assert.ok(text.length < 1_400, String(text.length));
      const line = /class="spark-line" d="([^"]*)"/.exec(text)?.[1] ?? "";
      const points = [...line.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)];
      assert.equal(points.length, list.filter(({ avgMs }) => avgMs !== null).length);
      for (const [, x, y] of points) {
        assert.ok(Number(x) >= 0 && Number(x) <= list.length * 4);
        assert.ok(Number(y) >= 1.9 && Number(y) <= 16.1, String(y));
      }
      assert.doesNotMatch(text, /NaN|Infinity|undefined/);
    }),
  );
});

test("hours with failing runs are marked, and the words say how many", () => {
  const calm = { avgMs: 10, runs: 60, degraded: 0, failing: 0 };
  const { text } = renderSparkline([calm, { ...calm, failing: 2 }, { ...calm, degraded: 1 }]);
  assert.match(text, /class="spark-bad" d="M4 24h4v-4h-4z"/);
  assert.match(text, /class="spark-fair" d="M8 24h4v-4h-4z"/);
  assert.match(text, /aria-label="[^"]*10\.0 ms to 10\.0 ms; failing runs in 1 hour"/);
  assert.match(renderSparkline([]).text, /No latency in the last 24 hours/);
});

test("a view without checks says whether tags left them out or there are none", () => {
  const empty: DashboardView = {
    asOf: new Date(0),
    shell: "",
    page: 1,
    pages: 1,
    rows: 15,
    counts: { failing: 0, degraded: 0, unknown: 0, passing: 0 },
    isChosen: false,
    left: 0,
    attention: [],
    incidents: null,
    checks: [],
    isExpanded: false,
    paginates: true,
    showTags: true,
    showGroupNames: true,
    showRunLinks: false,
    showP95: true,
    showP99: true,
  };
  assert.match(renderView(empty).text, /There is no check yet that runs/);
  assert.match(renderView({ ...empty, isChosen: true }).text, /No check has the tags/);
});
