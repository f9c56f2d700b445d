import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  findDateFault,
  type IncidentStatus,
  incidentStatuses,
  type Moment,
  measureDuration,
  measureTimeToAcknowledge,
} from "./incident.ts";
import { findStatusAt, foldUpdates } from "./incident-span.ts";

const start = Date.parse("2026-11-15T12:00:00Z");
const minuteMs = 60_000;

type Said = readonly (readonly [number, IncidentStatus, string?])[];

/** Updates as `minute status`, in the order of writing. */
function write(...said: Said): Moment[] {
  return said.map(([minute, status, author = "owner"], number) => ({
    status,
    publicAt: new Date(start + minute * minuteMs),
    number,
    author: author === "" ? null : author,
  }));
}

const fold = (...said: Said) => foldUpdates(write(...said), false);
const minutesOf = (spans: readonly { fromMs: number; toMs: number | null }[]) =>
  spans.map(({ fromMs, toMs }) => [
    (fromMs - start) / minuteMs,
    toMs === null ? null : (toMs - start) / minuteMs,
  ]);

test("an incident starts with its first update and goes on until one resolves it", () => {
  const open = fold([0, "INVESTIGATING"], [5, "IDENTIFIED"]);
  assert.equal(open.status, "IDENTIFIED");
  assert.equal(open.resolvedAt, null);
  assert.equal(measureDuration(open), null);
  assert.deepEqual(minutesOf(open.openSpans), [[0, null]]);
  const over = fold([0, "INVESTIGATING"], [5, "IDENTIFIED"], [30, "RESOLVED"]);
  assert.equal(over.status, "RESOLVED");
  assert.equal(measureDuration(over), 1_800);
  assert.deepEqual(minutesOf(over.openSpans), [[0, 30]]);
});

test("what follows a resolution and is none opens it again, and its duration extends to the last", () => {
  const said = [
    [0, "INVESTIGATING"],
    [10, "RESOLVED"],
    [20, "MONITORING"],
  ] as const;
  const again = fold(...said);
  assert.equal(again.resolvedAt, null);
  assert.deepEqual(minutesOf(again.openSpans), [
    [0, 10],
    [20, null],
  ]);
  const over = fold(...said, [50, "RESOLVED"]);
  assert.equal(measureDuration(over), 3_000);
  assert.deepEqual(minutesOf(over.openSpans), [
    [0, 10],
    [20, 50],
  ]);
});

test("a second resolution of what is resolved changes nothing but the words", () => {
  const over = fold([0, "INVESTIGATING"], [10, "RESOLVED"], [60, "RESOLVED"]);
  assert.equal(measureDuration(over), 600);
  assert.equal(over.status, "RESOLVED");
});

test("the public date decides, not the order of writing; of the same moment the later written", () => {
  const backfilled = fold([30, "RESOLVED"], [0, "INVESTIGATING"], [10, "IDENTIFIED"]);
  assert.equal(backfilled.status, "RESOLVED");
  assert.equal(measureDuration(backfilled), 1_800);
  assert.equal(fold([0, "RESOLVED"], [0, "MONITORING"]).status, "MONITORING");
  assert.equal(fold([0, "MONITORING"], [0, "RESOLVED"]).status, "RESOLVED");
});

test("an incident that is told of only when it is over lasted no time", () => {
  const told = fold([7, "RESOLVED"]);
  assert.equal(measureDuration(told), 0);
  assert.deepEqual(told.openSpans, []);
});

test("by hand it is answered when it is more than looked into; by itself when a person writes", () => {
  const byHand = (...said: Said) => measureTimeToAcknowledge(fold(...said));
  assert.equal(byHand([0, "INVESTIGATING"], [3, "INVESTIGATING"]), null);
  assert.equal(byHand([0, "INVESTIGATING"], [3, "IDENTIFIED"], [9, "RESOLVED"]), 180);
  assert.equal(byHand([0, "IDENTIFIED"]), 0);
  const byItself = (...said: Said) => measureTimeToAcknowledge(foldUpdates(write(...said), true));
  assert.equal(byItself([0, "INVESTIGATING", ""], [9, "RESOLVED", ""]), null);
  assert.equal(byItself([0, "INVESTIGATING", ""], [4, "INVESTIGATING"], [9, "RESOLVED"]), 240);
});

test("an update without a status has the one that the public saw at its moment", () => {
  const said = write([10, "INVESTIGATING"], [20, "IDENTIFIED"], [30, "RESOLVED"]);
  const at = (minute: number) => findStatusAt(said, new Date(start + minute * minuteMs));
  assert.deepEqual([0, 10, 25, 30, 99].map(at), [
    "INVESTIGATING",
    "INVESTIGATING",
    "IDENTIFIED",
    "RESOLVED",
    "RESOLVED",
  ]);
});

test("a public date may lie in the past, and five minutes ahead for clocks that differ", () => {
  const now = new Date(start);
  const fault = (minutes: number) => findDateFault(new Date(start + minutes * minuteMs), now);
  assert.equal(fault(-1_000_000), null);
  assert.equal(fault(5), null);
  assert.match(fault(5.001) ?? "", /future/);
  assert.match(findDateFault(new Date(-1), now) ?? "", /1970/);
  assert.match(findDateFault(new Date("2016-12-31T23:59:60Z"), now) ?? "", /calendar/);
  assert.throws(() => foldUpdates([], false));
});

/** Walks minute by minute and remembers nothing but whether it is open. */
function walk(updates: readonly Moment[], minutes: number) {
  const open: boolean[] = [];
  let isOpen = false;
  for (let minute = 0; minute < minutes; minute += 1) {
    const atMs = start + minute * minuteMs;
    const now = updates.filter(({ publicAt }) => publicAt.getTime() === atMs);
    for (const { status } of now.sort((a, b) => a.number - b.number)) {
      isOpen = status !== "RESOLVED";
    }
    open.push(isOpen);
  }
  return open;
}

test("the spans are those minutes in which a walk through the updates finds it open", () => {
  const minutes = 40;
  const said = fc.array(fc.tuple(fc.nat(minutes - 1), fc.constantFrom(...incidentStatuses)), {
    minLength: 1,
    maxLength: 25,
  });
  fc.assert(
    fc.property(said, fc.boolean(), (list, isAutomatic) => {
      const updates = write(...list);
      const course = foldUpdates(updates, isAutomatic);
      const expected = walk(updates, minutes);
      const found = expected.map((_, minute) => {
        const atMs = start + minute * minuteMs;
        return course.openSpans.some(
          ({ fromMs, toMs }) => fromMs <= atMs && (toMs === null || atMs < toMs),
        );
      });
      assert.deepEqual(found, expected);
      assert.equal(course.resolvedAt === null, expected.at(-1));
      assert.equal(course.resolvedAt === null, course.status !== "RESOLVED");
      const times = updates.map(({ publicAt }) => publicAt.getTime());
      assert.equal(course.startedAt.getTime(), Math.min(...times));
      assert.ok((measureDuration(course) ?? 0) >= 0);
      assert.deepEqual(foldUpdates([...updates].reverse(), isAutomatic), course);
    }),
  );
});
