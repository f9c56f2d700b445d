import assert from "node:assert/strict";
import { test } from "node:test";
import { toShortest } from "./detail-bytes.ts";

test("a number of four bytes is shown as PostgreSQL shows a real, in at most nine digits", () => {
  for (const shown of [0, 1, 0.1, 33.3333, 0.0118206665, 0.845653, 1234567.9, 3.4e38, -0.125]) {
    assert.equal(toShortest(Math.fround(shown)), shown);
  }
});

test("it is the same number when it is written again", () => {
  for (let round = 0; round < 10_000; round += 1) {
    const value = Math.fround(Math.random() * 10 ** Math.floor(Math.random() * 9 - 4));
    const shown = toShortest(value);
    assert.equal(Math.fround(shown), value);
    assert.ok(String(shown).replace(/^0\.0*|\.|e.*/g, "").length <= 9, String(shown));
  }
});
