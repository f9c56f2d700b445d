import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatMs } from "../../platform/text/figures.ts";
import { alignMs, alignPercent, formatAge, renderView } from "./render-view.ts";
import { findTopMs, renderSparkline } from "./sparkline.ts";
import type { CheckView, DashboardView, StepView } from "./view.ts";

const minute = 60_000;

test("ages are formatted with their two largest units", () => {
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

test("milliseconds are formatted with about three significant digits", () => {
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

test("the decimal points of a column are aligned", () => {
  const cases: [number | null, string][] = [
    [null, "–"],
    [0, "< 0.01"],
    [0.031, "0.03"],
    [9.994, "9.99"],
    [9.996, "10.0\u2007"],
    [99.94, "99.9\u2007"],
    [99.96, "100\u2008\u2007\u2007"],
    [12_345_678, "12,345,678\u2008\u2007\u2007"],
    [1_234.4, "1,234\u2008\u2007\u2007"],
  ];
  for (const [ms, text] of cases) assert.equal(alignMs(ms), text);
  assert.equal(alignPercent("100 %"), "100.00 %");
  assert.equal(alignPercent("99.999 %"), "99.99 %");
  assert.equal(alignPercent("99.9 %"), "99.90 %");
  assert.equal(alignPercent("no data"), "–");
});

const steps = fc.array(
  fc.record({
    avgMs: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: null }),
    runs: fc.nat(60),
    degraded: fc.nat(3),
    failing: fc.nat(3),
  }),
  { minLength: 0, maxLength: 25 },
);
const calm = { avgMs: 10, runs: 60, degraded: 0, failing: 0 };
const line = (list: readonly StepView[], stepMinutes = 60) =>
  renderSparkline({ steps: list, stepMinutes, hasRun: true }).text;

test("a sparkline is one non-empty path within its frame for any measurements", () => {
  fc.assert(
    fc.property(steps, (list) => {
      const text = line(list);
      assert.ok(text.length > 0 && text.length < 1_600, String(text.length));
      const paths = [...text.matchAll(/class="spark-line" d="([^"]*)"/g)];
      assert.ok(paths.length <= 1);
      if (paths.length === 0) assert.match(text, /class="spark-note"/);
      let [x, y] = [0, 0];
      for (const [, begin, rest = ""] of (paths[0]?.[1] ?? "").matchAll(/M([-\d. ]+)([^M]*)/g)) {
        [x = 0, y = 0] = (begin ?? "").split(" ").map(Number);
        const moves = rest.replace(/^l/, "").trim().split(/\s+/).map(Number);
        for (let at = 0; at + 1 < moves.length; at += 2) {
          [x, y] = [x + (moves[at] ?? 0), y + (moves[at + 1] ?? 0)];
          assert.ok(x >= 0 && x <= 200 && y >= 1 && y <= 31, `${x} ${y}`);
        }
      }
      assert.doesNotMatch(text, /NaN|Infinity|undefined/);
    }),
  );
});

test("noise is flat, and a doubled value is at the top", () => {
  const heights = (times: readonly number[]) => {
    const list = times.map((avgMs) => ({ ...calm, avgMs }));
    const topMs = findTopMs(list) ?? 0;
    return times.map((avgMs) => avgMs / topMs);
  };
  const noise = heights([0.03, 0.04, 0.03, 0.02]);
  assert.ok(Math.max(...noise) - Math.min(...noise) < 0.03, noise.join());
  const steady = heights([20, 20.4, 19.8, 20.1]);
  assert.ok(Math.max(...steady) - Math.min(...steady) < 0.03, steady.join());
  assert.deepEqual(heights([10, 10, 10, 20]), [0.5, 0.5, 0.5, 1]);
  assert.deepEqual(heights([10, 10, 10, 100]), [0.1, 0.1, 0.1, 1]);
});

test("hours with failing runs are marked, and the text has their number", () => {
  const text = line([calm, { ...calm, failing: 2 }, { ...calm, degraded: 1 }, calm]);
  assert.match(text, /class="spark-bad" d="M50 40H100v-6H50z"/);
  assert.match(text, /class="spark-fair" d="M100 40H150v-6H100z"/);
  assert.match(text, /aria-label="10\.0 ms to 10\.0 ms in 4 h; failing runs in 1 h"/);
});

test("a strip without a line shows the reason, and that of a new check its age", () => {
  const none = { avgMs: null, runs: 0, degraded: 0, failing: 0 };
  const wordsOf = (text: string) => /class="spark-note">([^<]*)</.exec(text)?.[1];
  const never = renderSparkline({ steps: [], stepMinutes: 60, hasRun: false });
  assert.equal(wordsOf(never.text), "waiting for the first run");
  assert.equal(wordsOf(line(Array(24).fill(none))), "no run in 24 h");
  const dead = { avgMs: null, runs: 60, degraded: 0, failing: 60 };
  assert.equal(wordsOf(line(Array(24).fill(dead))), "no response in 24 h");
  assert.equal(wordsOf(line(Array(24).fill({ ...dead, failing: 0 }))), "no response times");
  assert.equal(wordsOf(line([none, none, calm, calm, calm], 5)), "last 15 min");
  assert.equal(wordsOf(line([...Array(19).fill(none), ...Array(5).fill(calm)])), "last 5 h");
  assert.equal(wordsOf(line(Array(24).fill(calm))), undefined);
});

const stats = { availability: "100 %", avgMs: 12.3, p95Ms: 14.5, p99Ms: 20.1 };
const check: CheckView = {
  id: "1",
  name: "checkout.shop.example.com",
  groupName: "Payments",
  tags: ["production"],
  status: "passing",
  since: new Date(0),
  runUrl: null,
  line: { steps: Array(25).fill(calm), stepMinutes: 60, hasRun: true },
  day: stats,
  week: stats,
  places: [],
};

const empty: DashboardView = {
  asOf: new Date(0),
  shell: "",
  page: 1,
  pages: 1,
  rows: 15,
  isTiled: false,
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

test("a view without checks shows whether tags excluded them", () => {
  assert.match(renderView(empty).text, /No active checks yet/);
  assert.match(renderView({ ...empty, isChosen: true }).text, /No check has the tags/);
});

test("a thousand checks are about a megabyte of markup, with at most forty nodes each", () => {
  const checks = Array.from({ length: 1_000 }, (_, n) => ({
    ...check,
    name: `${check.name} ${n}`,
  }));
  const { text } = renderView({ ...empty, checks });
  assert.ok(text.length < 1_100_000, String(text.length));
  // Elements and texts of a row, as counted by a browser.
  const row = /<tbody.*?<\/tbody>/s.exec(text)?.[0] ?? "";
  const parts = row.match(/<[a-z]|>[^<\n]+</g) ?? [];
  assert.ok(parts.length <= 40, String(parts.length));
});
