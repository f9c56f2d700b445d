import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type CheckSearch,
  moveSpan,
  parseSearch,
  readBirth,
  readSpan,
  toggleHidden,
  toRangeSearch,
} from "./search.ts";

const nowMs = Date.parse("2026-11-16T07:00:00Z");

test("an address keeps valid values and omits defaults and invalid values", () => {
  const run = "019a8c51-7c00-7abc-8def-0123456789ab";
  assert.deepEqual(parseSearch({ tab: "history", range: "7d", run, by: "location" }), {
    tab: "history",
    range: "7d",
    run,
    by: "location",
  });
  assert.deepEqual(parseSearch({ tab: "overview", range: "2h", view: "x", state: "odd" }), {});
  assert.deepEqual(parseSearch({ from: "20", to: "10", run: "<script>", location: "" }), {});
  assert.deepEqual(parseSearch({ from: 10, to: "100", range: "7d" }), { from: 10, to: 100 });
});

test("the legend toggles chart parts in the address", () => {
  const hidden = toggleHidden(undefined, "p99");
  assert.equal(hidden, "p99");
  assert.equal(toggleHidden(hidden, "band"), "band.p99");
  assert.equal(toggleHidden("band.p99", "p99"), "band");
  assert.equal(toggleHidden("band", "band"), undefined);
  assert.deepEqual(parseSearch({ hide: "p99.odd.band", scale: "log", compare: "before" }), {
    hide: "band.p99",
    scale: "log",
    compare: "before",
  });
});

test("parsing an address is idempotent", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.anything()), (search) => {
      const once = parseSearch(search);
      assert.deepEqual(parseSearch({ ...once }), once);
    }),
  );
});

test("without a range in the address, a chart begins with its check, at most a day ago", () => {
  const lengthOf = (ageMs: number, search: CheckSearch = {}) => {
    const { fromMs, toMs } = readSpan(search, nowMs, nowMs - ageMs);
    assert.equal(toMs, nowMs);
    return toMs - fromMs;
  };
  assert.equal(lengthOf(5_000), 60_000, "at least a minute");
  assert.equal(lengthOf(180_000), 180_000);
  assert.equal(lengthOf(7 * 86_400_000), 86_400_000);
  assert.equal(lengthOf(180_000, { range: "6h" }), 6 * 3_600_000, "a selected range is kept");
});

test("the creation time is read from a UUIDv7 id", () => {
  const at = Date.parse("2026-11-16T07:00:00.123Z");
  const time = at.toString(16).padStart(12, "0");
  assert.equal(readBirth(`${time.slice(0, 8)}-${time.slice(8)}-7abc-8def-0123456789ab`), at);
  assert.equal(readBirth("5a1e3f00-0000-4abc-8def-0123456789ab"), 0);
});

test("a named range ends now; a fixed one does not move", () => {
  assert.deepEqual(readSpan({}, nowMs), { fromMs: nowMs - 86_400_000, toMs: nowMs });
  assert.deepEqual(readSpan({ from: 10, to: 70 }, nowMs), { fromMs: 10_000, toMs: 70_000 });
});

test("moving and zooming produce a valid range", () => {
  const span = { fromMs: nowMs - 3_600_000, toMs: nowMs };
  assert.deepEqual(moveSpan(span, "earlier").toMs, nowMs - 1_800_000);
  const later = toRangeSearch(moveSpan(span, "later"), nowMs);
  assert.deepEqual(later, { from: nowMs / 1_000 - 3_600, to: nowMs / 1_000 });
  const out = toRangeSearch(moveSpan(span, "out"), nowMs);
  assert.equal(out.to - out.from, 7_200);
  const dot = toRangeSearch({ fromMs: nowMs - 10, toMs: nowMs - 5 }, nowMs);
  assert.equal(dot.to - dot.from, 60);
});
