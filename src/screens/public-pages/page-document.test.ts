import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nextMonth, parseMonth, previousMonth } from "./page-document.ts";

const now = new Date("2026-11-15T12:00:00.000Z");

test("a month must not be in the future, and has the adjacent months of the calendar", () => {
  assert.equal(parseMonth("2026-11", now), "2026-11");
  for (const text of [
    "2026-12",
    "2027-01",
    "2026-13",
    "2026-00",
    "1969-12",
    "2026-1",
    "x",
    "9999-99",
  ]) {
    assert.equal(parseMonth(text, now), null, text);
  }
  fc.assert(
    fc.property(
      fc.integer({ min: 1970, max: 9998 }),
      fc.integer({ min: 1, max: 12 }),
      (year, month) => {
        const text = `${year}-${String(month).padStart(2, "0")}`;
        assert.equal(previousMonth(nextMonth(text)), text);
        assert.ok(nextMonth(text) > text);
      },
    ),
  );
});
