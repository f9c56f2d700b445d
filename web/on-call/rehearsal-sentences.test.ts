import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rehearsal } from "./queries.ts";
import { findWaitEnd, listTimes, summarizeRehearsal } from "./rehearsal-sentences.ts";

type Entry = Rehearsal["entries"][number];

const startsAt = "2026-11-21T22:00:00Z";
const entry = (minutes: number, change: Partial<Entry> = {}): Entry => ({
  at: new Date(Date.parse(startsAt) + minutes * 60_000).toISOString(),
  ...{ round: 1, step: 1, target: { scheduleId: "p" }, targetName: "Primary" },
  ...{ userId: "a", userName: "Anna", method: "push", reason: null, note: null },
  ...change,
});
const rehearse = (entries: Entry[], pagesFrom = startsAt): Rehearsal => ({
  ...{ startsAt, urgency: "HIGH", pagesFrom, entries },
});
const gap = {
  ...{ targetName: "Gap", userId: null, userName: null, method: null },
  reason: "Nobody is on call for Gap.",
};
const channel = { step: 2, targetName: "#ops", userId: null, userName: null, method: "#ops" };
const fallback = { ...channel, round: null, step: null, targetName: "Fallback" };

test("messages of the same time are together, with their step and their method", () => {
  const mail = { method: "anna@example.com" };
  const times = listTimes(
    rehearse([entry(0), entry(0, mail), entry(10, channel), entry(95, fallback)]),
  );
  assert.deepEqual(
    times.map(({ when, lines }) => [when, ...lines.map(({ who, via }) => [who, via])]),
    [
      ["At once", ["Anna", "push"], ["Anna", "anna@example.com"]],
      ["After 10 min", ["#ops", null]],
      ["After 1 h 35 min", ["#ops", null]],
    ],
  );
  assert.deepEqual(
    times.flatMap(({ lines }) => lines.map(({ place }) => place)),
    ["Step 1: Primary", "Step 1: Primary", "Step 2: #ops", "Fallback"],
  );
});

test("rounds are named only if the steps are repeated, and days are counted", () => {
  const [first, second] = listTimes(rehearse([entry(0), entry(2_880, { round: 2 })]));
  assert.deepEqual(first?.lines[0]?.place, "Round 1, step 1: Primary");
  assert.deepEqual(second?.lines[0]?.place, "Round 2, step 1: Primary");
  assert.equal(second?.when, "After 2 d");
});

test("who is not reached has the reason instead of a recipient", () => {
  const [time] = listTimes(rehearse([entry(0, gap)]));
  const [line] = time?.lines ?? [];
  assert.deepEqual([line?.who, line?.via, line?.reason], [null, null, gap.reason]);
});

test("the summary names who is reached first, and how late", () => {
  const cases: readonly (readonly [Entry[], string, string])[] = [
    [[], "bad", "Nobody would be reached."],
    [[entry(0, gap)], "bad", "Nobody would be reached."],
    [[entry(0), entry(0, { method: "mail" })], "good", "At once, Anna is reached."],
    [[entry(0), entry(0, channel), entry(9)], "good", "At once, Anna and #ops are reached."],
    [[entry(0, gap), entry(5)], "fair", "After 5 min, Anna is the first to be reached."],
  ];
  for (const [entries, tone, sentence] of cases) {
    assert.deepEqual(summarizeRehearsal(rehearse(entries)), { tone, sentence });
  }
});

test("an alert waits if the pages start later than it", () => {
  assert.equal(findWaitEnd(rehearse([])), null);
  const monday = "2026-11-23T08:00:00Z";
  assert.equal(findWaitEnd(rehearse([], monday)), monday);
});
