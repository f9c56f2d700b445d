import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  describeSchedule,
  earlyMs,
  expectAfterMiss,
  expectAfterPing,
  graceMsOf,
  periodMsOf,
  type Schedule,
  scheduleKey,
  type Unit,
  units,
  usualPeriodMs,
} from "./expected-pings.ts";
import { findFaults, mergeSettings } from "./request.ts";

const seconds: Readonly<Record<Unit, number>> = {
  seconds: 1,
  minutes: 60,
  hours: 3_600,
  days: 86_400,
};

const base: Schedule = {
  period: 1,
  periodUnit: "days",
  grace: 30,
  graceUnit: "minutes",
  cron: null,
  timezone: "UTC",
};
const inBerlin = (cron: string) => ({ ...base, cron, timezone: "Europe/Berlin" });
const at = (iso: string) => Date.parse(iso);
const next = (cron: string, after: string) =>
  new Date(expectAfterMiss(inBerlin(cron), at(after), 0)).toISOString().slice(0, 16);

test("every amount in every unit is rejected exactly if it is out of bounds", () => {
  const amount = fc.oneof(fc.integer({ min: 0, max: 40_000_000 }), fc.double({ min: 0, max: 400 }));
  const unit = fc.constantFrom(...units);
  fc.assert(
    fc.property(amount, unit, amount, unit, (period, periodUnit, grace, graceUnit) => {
      const settings = mergeSettings(null, { heartbeat: { period, periodUnit, grace, graceUnit } });
      const keys = findFaults(settings).map(({ key }) => key);
      // Schedules have a resolution of milliseconds.
      const periodMs = Math.round(period * seconds[periodUnit] * 1_000);
      const graceMs = Math.round(grace * seconds[graceUnit] * 1_000);
      const yearMs = 365 * 86_400_000;
      assert.equal(keys.includes("heartbeat.period"), periodMs < 30_000 || periodMs > yearMs);
      assert.equal(keys.includes("heartbeat.grace"), graceMs > yearMs);
    }),
  );
});

test("a daily time follows the clock of its time zone", () => {
  // Summer time starts on 29 March 2026 and ends on 25 October.
  assert.equal(next("0 3 * * *", "2026-03-28T12:00:00Z"), "2026-03-29T01:00");
  assert.equal(next("0 3 * * *", "2026-03-29T01:00:00Z"), "2026-03-30T01:00");
  assert.equal(next("0 3 * * *", "2026-10-24T12:00:00Z"), "2026-10-25T02:00");
  assert.equal(next("0 3 * * *", "2026-10-25T02:00:00Z"), "2026-10-26T02:00");
  // 02:30 does not exist on the first day and exists twice on the second; it occurs once on each.
  assert.equal(next("30 2 * * *", "2026-03-28T12:00:00Z"), "2026-03-29T01:30");
  assert.equal(next("30 2 * * *", "2026-03-29T01:30:00Z"), "2026-03-30T00:30");
  assert.equal(next("30 2 * * *", "2026-10-24T12:00:00Z"), "2026-10-25T00:30");
  assert.equal(next("30 2 * * *", "2026-10-25T00:30:00Z"), "2026-10-26T01:30");
});

const expressions = ["*/5 * * * *", "0 3 * * *", "30 2 * * 0", "15 0 1 * *", "0,10 6-8 * * 1-5"];
const moments = fc.integer({ min: at("2026-01-01"), max: at("2030-01-01") });
const zones = ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "UTC"];

test("the next occurrence is later and stable, and none in between is skipped", () => {
  const cron = fc.constantFrom(...expressions);
  const zone = fc.constantFrom(...zones);
  fc.assert(
    fc.property(
      cron,
      zone,
      moments,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (one, timezone, after, share) => {
        const schedule = { ...base, cron: one, timezone };
        const found = expectAfterMiss(schedule, after, 0);
        assert.ok(found > after);
        const between = Math.floor(after + share * (found - 1 - after));
        assert.equal(expectAfterMiss(schedule, between, 0), found);
      },
    ),
  );
});

test("a slightly early job counts for the upcoming time", () => {
  const schedule = { ...base, cron: "0 3 * * *", grace: 0 };
  const due = at("2026-06-10T03:00:00Z");
  assert.equal(expectAfterPing(schedule, due - 30_000), due + 86_400_000);
  assert.equal(expectAfterPing(schedule, due - 120_000), due);
  assert.equal(expectAfterPing(schedule, due + 1), due + 86_400_000);
  assert.equal(earlyMs({ ...base, period: 40, periodUnit: "seconds" }), 20_000);
  assert.equal(usualPeriodMs({ ...base, cron: "0,10 * * * *" }), 600_000);
});

test("after a miss the next expected time is the first in the future", () => {
  fc.assert(
    fc.property(
      moments,
      fc.integer({ min: 30, max: 100_000 }),
      moments,
      (missed, period, after) => {
        const schedule = { ...base, period, periodUnit: "seconds" as const };
        const periodMs = periodMsOf(schedule);
        const found = expectAfterMiss(schedule, missed, after);
        assert.equal((found - missed) % periodMs, 0);
        assert.ok(found > missed && found > after);
        assert.ok(found - periodMs <= Math.max(missed, after));
      },
    ),
  );
});

test("a schedule has a description, and its key distinguishes more", () => {
  const table: readonly (readonly [Partial<Schedule>, string])[] = [
    [{}, "every 1 d, grace 30 min"],
    [{ period: 90, periodUnit: "seconds", grace: 0 }, "every 1 min 30 s, no grace"],
    [{ cron: "5 3 * * *" }, "every day at 03:05 UTC, grace 30 min"],
    [{ cron: " 0  3 * * 1 ", timezone: "Asia/Tokyo" }, "cron 0 3 * * 1 Asia/Tokyo, grace 30 min"],
  ];
  for (const [more, text] of table) assert.equal(describeSchedule({ ...base, ...more }), text);
  const long = { ...base, period: 90_061, periodUnit: "seconds" as const };
  assert.notEqual(scheduleKey(long), scheduleKey({ ...long, period: 90_062 }));
  assert.equal(scheduleKey(base), scheduleKey({ ...base, period: 24, periodUnit: "hours" }));
  assert.equal(graceMsOf(base), 1_800_000);
});
