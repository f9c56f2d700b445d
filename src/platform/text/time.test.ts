import assert from "node:assert/strict";
import { test } from "node:test";
import { findZoneOffsetMs, formatDuration, isTimeZone } from "./time.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

test("formats a duration in its two largest units", () => {
  const durations: readonly (readonly [number, string])[] = [
    [0, "1 s"],
    [-5, "1 s"],
    [59 * secondMs, "59 s"],
    [59.6 * secondMs, "1 min"],
    [5 * minuteMs, "5 min"],
    [5 * minuteMs + 30 * secondMs, "5 min 30 s"],
    [2 * hourMs, "2 h"],
    [2 * hourMs + 5 * minuteMs, "2 h 5 min"],
    [2 * hourMs + 5 * secondMs, "2 h"],
    [dayMs, "1 d"],
    [3 * dayMs + 4 * hourMs + 5 * minuteMs, "3 d 4 h"],
    [3 * dayMs + 5 * minuteMs, "3 d"],
  ];
  for (const [durationMs, text] of durations) assert.equal(formatDuration(durationMs), text);
});

test("rounds to minutes on request, and never to zero", () => {
  assert.equal(formatDuration(1, "min"), "1 min");
  assert.equal(formatDuration(89 * secondMs, "min"), "1 min");
  assert.equal(formatDuration(90 * secondMs, "min"), "2 min");
  assert.equal(formatDuration(dayMs - 1, "min"), "1 d");
});

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
