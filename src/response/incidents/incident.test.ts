import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  findDateFault,
  findStatusAt,
  foldUpdates,
  type IncidentStatus,
  incidentStatuses,
  measureDuration,
  measureTimeToAcknowledge,
  type StatusChange,
} from "./incident.ts";

const start = Date.parse("2026-11-15T12:00:00Z");
const minuteMs = 60_000;

type UpdateList = readonly (readonly [number, IncidentStatus, string?])[];

/** Builds updates from `minute status` pairs, in the order of writing. */
function write(...updates: UpdateList): StatusChange[] {
  return updates.map(([minute, status, author = "owner"], number) => ({
    status,
    publicAt: new Date(start + minute * minuteMs),
    number,
    author: author === "" ? null : author,
  }));
}

const fold = (...updates: UpdateList) => foldUpdates(write(...updates), false);
const minutesOf = (spans: readonly { fromMs: number; toMs: number | null }[]) =>
  spans.map(({ fromMs, toMs }) => [
    (fromMs - start) / minuteMs,
    toMs === null ? null : (toMs - start) / minuteMs,
  ]);

test("an incident starts with its first update and lasts until one resolves it", () => {
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

test("another status after RESOLVED reopens the incident; its duration extends to the last resolution", () => {
  const updates = [
    [0, "INVESTIGATING"],
    [10, "RESOLVED"],
    [20, "MONITORING"],
  ] as const;
  const again = fold(...updates);
  assert.equal(again.resolvedAt, null);
  assert.deepEqual(minutesOf(again.openSpans), [
    [0, 10],
    [20, null],
  ]);
  const over = fold(...updates, [50, "RESOLVED"]);
  assert.equal(measureDuration(over), 3_000);
  assert.deepEqual(minutesOf(over.openSpans), [
    [0, 10],
    [20, 50],
  ]);
});

test("a second RESOLVED changes nothing but the text", () => {
  const over = fold([0, "INVESTIGATING"], [10, "RESOLVED"], [60, "RESOLVED"]);
  assert.equal(measureDuration(over), 600);
  assert.equal(over.status, "RESOLVED");
});

test("the public date determines the order; ties use the order of writing", () => {
  const backfilled = fold([30, "RESOLVED"], [0, "INVESTIGATING"], [10, "IDENTIFIED"]);
  assert.equal(backfilled.status, "RESOLVED");
  assert.equal(measureDuration(backfilled), 1_800);
  assert.equal(fold([0, "RESOLVED"], [0, "MONITORING"]).status, "MONITORING");
  assert.equal(fold([0, "MONITORING"], [0, "RESOLVED"]).status, "RESOLVED");
});

test("an incident with only a RESOLVED update has no duration", () => {
  const resolved = fold([7, "RESOLVED"]);
  assert.equal(measureDuration(resolved), 0);
  assert.deepEqual(resolved.openSpans, []);
});

test("a manual incident is acknowledged after INVESTIGATING, an automatic one by a person's update", () => {
  const byHand = (...updates: UpdateList) => measureTimeToAcknowledge(fold(...updates));
  assert.equal(byHand([0, "INVESTIGATING"], [3, "INVESTIGATING"]), null);
  assert.equal(byHand([0, "INVESTIGATING"], [3, "IDENTIFIED"], [9, "RESOLVED"]), 180);
  assert.equal(byHand([0, "IDENTIFIED"]), 0);
  const byItself = (...updates: UpdateList) =>
    measureTimeToAcknowledge(foldUpdates(write(...updates), true));
  assert.equal(byItself([0, "INVESTIGATING", ""], [9, "RESOLVED", ""]), null);
  assert.equal(byItself([0, "INVESTIGATING", ""], [4, "INVESTIGATING"], [9, "RESOLVED"]), 240);
});

test("an update without a status keeps the public status of its date", () => {
  const updates = write([10, "INVESTIGATING"], [20, "IDENTIFIED"], [30, "RESOLVED"]);
  const at = (minute: number) => findStatusAt(updates, new Date(start + minute * minuteMs));
  assert.deepEqual([0, 10, 25, 30, 99].map(at), [
    "INVESTIGATING",
    "INVESTIGATING",
    "IDENTIFIED",
    "RESOLVED",
    "RESOLVED",
  ]);
});

test("a public date may be in the past, or five minutes ahead to allow clock skew", () => {
  const now = new Date(start);
  const fault = (minutes: number) => findDateFault(new Date(start + minutes * minuteMs), now);
  assert.equal(fault(-1_000_000), null);
  assert.equal(fault(5), null);
  assert.match(fault(5.001) ?? "", /future/);
  assert.match(findDateFault(new Date(-1), now) ?? "", /1970/);
  assert.match(findDateFault(new Date("2016-12-31T23:59:60Z"), now) ?? "", /valid date and time/);
  assert.throws(() => foldUpdates([], false));
});

/**
 * Reference implementation: walks minute by minute and tracks only whether the incident is open.
 */
function walk(updates: readonly StatusChange[], minutes: number) {
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

test("the spans match a minute-by-minute reference implementation", () => {
  const minutes = 40;
  const updates = fc.array(fc.tuple(fc.nat(minutes - 1), fc.constantFrom(...incidentStatuses)), {
    minLength: 1,
    maxLength: 25,
  });
  fc.assert(
    fc.property(updates, fc.boolean(), (list, isAutomatic) => {
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
