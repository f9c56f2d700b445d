import assert from "node:assert/strict";
import { test } from "node:test";
import { weekdays } from "../../platform/week-hours.ts";
import { findQuietFault, hasRerouteLoop } from "./quiet-hours.ts";

const nights = (
  timeZone: string,
  range: { readonly from?: string; readonly to?: string } = {},
) => ({
  timeZone,
  ranges: [{ days: weekdays, from: "22:00", to: "07:00", ...range }],
});

test("quiet hours need a time zone and leave some time of the week", () => {
  assert.equal(findQuietFault(nights("Europe/Berlin")), null);
  for (const timeZone of ["Mars/Olympus", "", "+01:00"]) {
    assert.equal(findQuietFault(nights(timeZone))?.key, "timeZone", timeZone);
  }
  assert.equal(findQuietFault(nights("UTC", { from: "08:00", to: "08:00" }))?.key, "ranges");
  assert.equal(findQuietFault(nights("UTC", { from: "08:00", to: "07:59" })), null);
});

test("a loop of channels is found through any number of others", () => {
  const target = new Map([
    [1, 2],
    [2, 3],
    [4, 4],
  ]);
  const isLoop = (id: number) => hasRerouteLoop(id, (one) => target.get(one) ?? null);
  assert.deepEqual([isLoop(1), isLoop(4)], [false, true]);
  target.set(3, 1);
  assert.equal(isLoop(1), true);
});
