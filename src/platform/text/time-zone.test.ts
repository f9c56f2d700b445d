import assert from "node:assert/strict";
import { test } from "node:test";
import { findZoneOffsetMs, isTimeZone } from "./time-zone.ts";

const hourMs = 3_600_000;

test("returns the offset of a zone at a time", () => {
  const winter = new Date("2026-01-15T12:00:00Z");
  const summer = new Date("2026-07-15T12:00:00Z");
  assert.equal(findZoneOffsetMs("Europe/Berlin", winter), hourMs);
  assert.equal(findZoneOffsetMs("Europe/Berlin", summer), 2 * hourMs);
  assert.equal(findZoneOffsetMs("America/New_York", winter), -5 * hourMs);
  assert.equal(findZoneOffsetMs("Asia/Kolkata", winter), 5.5 * hourMs);
  assert.equal(findZoneOffsetMs("UTC", winter), 0);
});

test("accepts only names of time zones", () => {
  assert.equal(isTimeZone("Europe/Berlin"), true);
  for (const name of ["", "Berlin", "Europe/Nowhere", "<script>"]) {
    assert.equal(isTimeZone(name), false, name);
  }
});
