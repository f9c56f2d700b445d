import assert from "node:assert/strict";
import { test } from "node:test";
import { toShortest } from "./detail-bytes.ts";

test("a float32 is printed like a PostgreSQL real, with at most nine digits", () => {
  for (const shown of [0, 1, 0.1, 33.3333, 0.0118206665, 0.845653, 1234567.9, 3.4e38, -0.125]) {
    assert.equal(toShortest(Math.fround(shown)), shown);
  }
});

test("a printed float32 encodes to the same number", () => {
  for (let round = 0; round < 10_000; round += 1) {
    const value = Math.fround(Math.random() * 10 ** Math.floor(Math.random() * 9 - 4));
    const shown = toShortest(value);
    assert.equal(Math.fround(shown), value);
    assert.ok(String(shown).replace(/^0\.0*|\.|e.*/g, "").length <= 9, String(shown));
  }
});
