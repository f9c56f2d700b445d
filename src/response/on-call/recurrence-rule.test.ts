import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import ICAL from "ical.js";
import { dayMs, formatLocalTime, parseLocalTime } from "./local-time.ts";
import { listStarts, parseRule } from "./recurrence-rule.ts";

const parse = (value: string) => parseRule(value, (text) => Date.parse(text));

function list(value: string, start: string, days = 366): string[] | null {
  const rule = parse(value);
  assert.ok(rule !== null, value);
  const startMs = parseLocalTime(start);
  return (
    listStarts(rule, startMs, { fromMs: startMs, toMs: startMs + days * dayMs })?.map(
      formatLocalTime,
    ) ?? null
  );
}

test("rules recur by day, week, month and year", () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ["FREQ=WEEKLY;COUNT=2", "2026-11-20T09:00", ["2026-11-20T09:00", "2026-11-27T09:00"]],
    ["FREQ=DAILY;INTERVAL=200", "2026-11-20T09:00", ["2026-11-20T09:00", "2027-06-08T09:00"]],
    ["FREQ=YEARLY", "2025-12-24T00:00", ["2025-12-24T00:00", "2026-12-24T00:00"]],
    [
      "freq=monthly;byday=-1fr;count=2",
      "2026-10-30T00:00",
      ["2026-10-30T00:00", "2026-11-27T00:00"],
    ],
    [
      "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=2",
      "2026-01-31T00:00",
      ["2026-01-31T00:00", "2026-02-28T00:00"],
    ],
    [
      "FREQ=DAILY;UNTIL=2026-11-21T09:00Z",
      "2026-11-20T09:00",
      ["2026-11-20T09:00", "2026-11-21T09:00"],
    ],
  ];
  for (const [rule, start, expected] of rows) assert.deepEqual(list(rule, start), expected, rule);
});

test("a rule that matches no day ends with the range", () => {
  for (const rule of ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31", "FREQ=DAILY;INTERVAL=7;BYDAY=SA"]) {
    assert.deepEqual(list(rule, "2026-11-20T09:00"), [], rule);
  }
});

test("a rule that is malformed or not supported is null", () => {
  for (const value of [
    ...["", "FREQ=HOURLY", "INTERVAL=2", "FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;INTERVAL=0"],
    ...["FREQ=DAILY;INTERVAL=x", "FREQ=DAILY;COUNT=-1", "FREQ=DAILY;UNTIL=never"],
    ...["FREQ=WEEKLY;BYDAY=XX", "FREQ=WEEKLY;BYDAY=1MO", "FREQ=WEEKLY;WKST=X"],
    ...["FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1", "FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=YEARLY;BYDAY=MO"],
    ...["FREQ=YEARLY;BYMONTH=13", "FREQ=MONTHLY;BYMONTHDAY=", "FREQ=DAILY;;"],
    `FREQ=MONTHLY;BYMONTHDAY=1${",1".repeat(1_000)}`,
  ]) {
    assert.equal(parse(value), null, value);
  }
});

test("a long-running rule is listed from the range, unless occurrences must be counted", () => {
  const range = {
    fromMs: parseLocalTime("2026-11-20T00:00"),
    toMs: parseLocalTime("2026-12-01T00:00"),
  };
  const startMs = parseLocalTime("1990-01-05T09:00");
  const [weekly, counted] = [parse("FREQ=WEEKLY"), parse("FREQ=WEEKLY;COUNT=5000")];
  assert.ok(weekly !== null && counted !== null);
  const starts = listStarts(weekly, startMs, range)?.map(formatLocalTime);
  assert.deepEqual(starts, ["2026-11-20T09:00", "2026-11-27T09:00"]);
  assert.equal(listStarts(counted, startMs, range), null);
});

test("occurrences are those of an independent library", () => {
  const weekday = fc.constantFrom("MO", "TU", "WE", "TH", "FR", "SA", "SU");
  const weekdays = fc.uniqueArray(weekday, { minLength: 1, maxLength: 4 });
  const nth = fc.tuple(fc.constantFrom("1", "2", "3", "4", "-1", "-2"), weekday);
  const byNth = nth.map((parts) => `;BYDAY=${parts.join("")}`);
  const byMonthDay = fc.constantFrom(1, 15, 28, -1, -2).map((day) => `;BYMONTHDAY=${day}`);
  const interval = fc.integer({ min: 1, max: 5 }).map((number) => `;INTERVAL=${number}`);
  const month = fc.integer({ min: 1, max: 12 }).map((number) => `;BYMONTH=${number}`);
  const join = (parts: readonly string[]) => parts.join("");
  const rules = fc.oneof(
    interval.map((one) => `FREQ=DAILY${one}`),
    weekdays.map((days) => `FREQ=DAILY;BYDAY=${days}`),
    fc
      .tuple(interval, weekdays, weekday)
      .map(([one, days, first]) => `FREQ=WEEKLY${one};BYDAY=${days};WKST=${first}`),
    interval.map((one) => `FREQ=WEEKLY${one}`),
    fc.tuple(fc.constant("FREQ=MONTHLY"), interval, fc.oneof(byNth, byMonthDay)).map(join),
    interval.map((one) => `FREQ=MONTHLY${one}`),
    fc.tuple(fc.constant("FREQ=YEARLY"), month, byMonthDay).map(join),
    fc.constant("FREQ=YEARLY"),
  );
  const counts = fc.oneof(
    fc.constant(""),
    fc.integer({ min: 1, max: 30 }).map((n) => `;COUNT=${n}`),
  );
  const days = fc.integer({ min: 20_400, max: 22_000 });
  fc.assert(
    fc.property(rules, counts, days, (rule, count, day) => {
      // RFC 5545 leaves open what a start means that the rule does not match.
      const [start] = list(rule, formatLocalTime(day * dayMs)) ?? [];
      fc.pre(start !== undefined);
      const iterator = ICAL.Recur.fromString(rule + count).iterator(
        ICAL.Time.fromDateTimeString(`${start}:00`),
      );
      const end = formatLocalTime(parseLocalTime(start) + 366 * dayMs);
      const expected: string[] = [];
      for (let next = iterator.next(); next; next = iterator.next()) {
        if (next.toString() >= end) break;
        expected.push(next.toString().slice(0, 16));
      }
      assert.deepEqual(list(rule + count, start), expected);
    }),
  );
});
