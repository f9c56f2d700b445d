import assert from "node:assert/strict";
import { test } from "node:test";
import { findNextStageMs, listDueStages, listReachedChannelIds } from "./escalation.ts";

const minute = 60_000;
const late = { afterMinutes: 30, channelIds: [3, 1] };
const early = { afterMinutes: 10, channelIds: [1, 2] };
const stages = [late, early];

test("stages are due by their times, in whatever order they are stored", () => {
  assert.deepEqual(listDueStages(stages, 0, 10 * minute - 1), []);
  assert.deepEqual(listDueStages(stages, 0, 10 * minute), [early]);
  assert.deepEqual(listDueStages(stages, 0, 90 * minute), [early, late]);
});

test("a stage that was reached is not due again", () => {
  assert.deepEqual(listDueStages(stages, 1, 90 * minute), [late]);
  assert.deepEqual(listDueStages(stages, 2, 90 * minute), []);
  assert.deepEqual(listDueStages(stages, 9, 90 * minute), [], "stages were removed since");
});

test("the next stage is known until all are reached", () => {
  assert.equal(findNextStageMs(stages, 0), 10 * minute);
  assert.equal(findNextStageMs(stages, 1), 30 * minute);
  assert.equal(findNextStageMs(stages, 2), null);
  assert.equal(findNextStageMs([], 0), null);
});

test("no stage is due before the alert, even if the clock was set back", () => {
  assert.deepEqual(listDueStages([{ afterMinutes: 0, channelIds: [1] }], 0, -1), []);
});

test("each channel of the reached stages is listed once", () => {
  assert.deepEqual(listReachedChannelIds(stages, 0), []);
  assert.deepEqual(listReachedChannelIds(stages, 1), [1, 2]);
  assert.deepEqual(listReachedChannelIds(stages, 2), [1, 2, 3]);
});
