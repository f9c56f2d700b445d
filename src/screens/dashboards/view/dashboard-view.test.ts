import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CheckFigures, CheckSummary } from "../../../runs/statistics/index.ts";
import {
  countStatuses,
  listAttention,
  orderChecks,
  slicePage,
  toShares,
} from "./dashboard-view.ts";
import { findDashboardBasePath } from "./routes.ts";

const statuses = ["failing", "degraded", "unknown", "passing"] as const;
const checks = fc.array(
  fc.record({
    status: fc.constantFrom(...statuses),
    since: fc.option(fc.date({ noInvalidDate: true }), { nil: null }),
    name: fc.string(),
  }),
  { maxLength: 60 },
);

test("failing checks come first, then degraded, and the sort is stable", () => {
  fc.assert(
    fc.property(checks, (list) => {
      const sorted = orderChecks(list, true);
      const expected = statuses.flatMap((status) => list.filter((one) => one.status === status));
      assert.deepEqual(sorted, expected);
      const mixed = list.filter(({ status }) => status === "unknown" || status === "passing");
      const trouble = expected.slice(0, list.length - mixed.length);
      assert.deepEqual(orderChecks(list, false), [...trouble, ...mixed]);
    }),
  );
});

test("every check is on exactly one page, in order, within the page size", () => {
  const settings = fc.record({
    paginate: fc.boolean(),
    checksPerPage: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(
    fc.property(fc.nat(1_000), settings, (count, setting) => {
      const { pages } = slicePage(count, setting, 1);
      const seen: number[] = [];
      for (let page = 1; page <= pages; page += 1) {
        const slice = slicePage(count, setting, page);
        assert.equal(slice.page, page);
        if (setting.paginate) assert.ok(slice.to - slice.from <= setting.checksPerPage);
        for (let at = slice.from; at < slice.to; at += 1) seen.push(at);
      }
      assert.deepEqual(
        seen,
        Array.from({ length: count }, (_, n) => n),
      );
    }),
  );
});

test("a missing page number becomes the nearest existing one", () => {
  const setting = { paginate: true, checksPerPage: 10 };
  assert.equal(slicePage(25, setting, 99).page, 3);
  assert.equal(slicePage(25, setting, -3).page, 1);
  assert.deepEqual(slicePage(0, setting, 5), { page: 1, pages: 1, from: 0, to: 0 });
});

test("the attention list has failing checks first, then degraded, newest first", () => {
  fc.assert(
    fc.property(checks, fc.nat(20), (list, limit) => {
      const named = listAttention(list, limit);
      const { failing, degraded } = countStatuses(list);
      assert.equal(named.length, Math.min(limit, failing + degraded));
      const firstDegraded = named.findIndex(({ status }) => status === "degraded");
      const failingAfter = named
        .slice(Math.max(0, firstDegraded))
        .some(({ status }) => status === "failing");
      assert.equal(firstDegraded >= 0 && failingAfter, false);
      assert.equal(
        named.some(({ status }) => status === "passing" || status === "unknown"),
        false,
      );
    }),
  );
});

test("links start below the dashboard's name, or at the root of a custom host", () => {
  assert.equal(findDashboardBasePath("/dashboards/wall", "wall"), "/dashboards/wall/");
  assert.equal(findDashboardBasePath("/dashboards/WALL/view?page=2", "wall"), "/dashboards/wall/");
  assert.equal(findDashboardBasePath("/?page=2", "wall"), "/");
  assert.equal(findDashboardBasePath("/view", "wall"), "/");
  assert.equal(findDashboardBasePath("/dashboards/wallpaper", "wall"), "/");
});

test("availability is shown once there is enough data", () => {
  const hour = { startsMs: 0, avgMs: 1, degraded: 0, failing: 0 };
  const figures = (runsByHour: readonly number[], older: number): CheckFigures => {
    const runs = runsByHour.reduce((sum, count) => sum + count, 0);
    const summary = (passing: number) =>
      ({
        runs: { unknown: 0, passing, degraded: 0, failing: 0 },
        availability: passing === 0 ? null : 1,
        latencyMs: { avg: 1, p95: 1, p99: 1 },
      }) as unknown as CheckSummary;
    const hours = runsByHour.map((count) => ({ ...hour, runs: count }));
    return { day: summary(runs), week: summary(runs + older), hours };
  };
  const sharesOf = (...given: Parameters<typeof figures>) => {
    const { day, week } = toShares(figures(...given));
    return [day.availability, week.availability];
  };
  const early = Array<number>(22).fill(0);
  assert.deepEqual(sharesOf([...early, 0, 4], 0), ["not enough data yet", "not enough data yet"]);
  assert.deepEqual(sharesOf([...early.slice(1), 9, 60, 4], 0), ["100 %", "not enough data yet"]);
  assert.deepEqual(sharesOf([...early, 60, 4], 10), ["not enough data yet", "100 %"]);
  assert.deepEqual(sharesOf([...early, 0, 0], 0), ["no data", "no data"]);
});
