import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { chooseLocations, nextDueAtMs, planSchedule, runNumberOf } from "./schedule.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const frequencies = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440];
const settings = fc.oneof(
  fc.record({
    checkId: fc.uuid(),
    frequencyMinutes: fc.constantFrom(...frequencies),
    frequencyOffset: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 600 })),
  }),
  fc.record({
    checkId: fc.uuid(),
    frequencyMinutes: fc.constant(0),
    frequencyOffset: fc.constantFrom(10, 20, 30),
  }),
);
const times = fc.integer({ min: 1_600_000_000_000, max: 2_000_000_000_000 });

test("the splay lies within the period, and the period is the frequency", () => {
  fc.assert(
    fc.property(settings, (given) => {
      const { periodMs, splayMs } = planSchedule(given);
      const expected = given.frequencyMinutes * minuteMs || (given.frequencyOffset ?? 0) * 1_000;
      assert.equal(periodMs, expected);
      assert.ok(Number.isInteger(splayMs) && splayMs >= 0 && splayMs < periodMs);
    }),
  );
});

test("an offset counts tenths of a minute up to hourly, and hours above", () => {
  const cases: [number, number, number][] = [
    [1, 1, 6_000],
    [1, 9, 54_000],
    [1, 10, 0],
    [10, 20, 2 * minuteMs],
    [60, 599, 599 * 6_000],
    [60, 600, 0],
    [120, 1, hourMs],
    [120, 2, 0],
    [1440, 23, 23 * hourMs],
  ];
  for (const [frequencyMinutes, frequencyOffset, splayMs] of cases) {
    const plan = planSchedule({ checkId: "c", frequencyMinutes, frequencyOffset });
    assert.equal(plan.splayMs, splayMs, `${frequencyMinutes} with ${frequencyOffset}`);
  }
});

test("checks without an offset are spread evenly over their period", () => {
  const shares = new Array<number>(10).fill(0);
  for (let check = 0; check < 10_000; check += 1) {
    const given = { checkId: `check-${check}`, frequencyMinutes: 1, frequencyOffset: null };
    const share = Math.floor(planSchedule(given).splayMs / 6_000);
    shares[share] = (shares[share] ?? 0) + 1;
  }
  for (const share of shares) assert.ok(share > 850 && share < 1_150, `${shares}`);
});

test("a sub-minute frequency requires an offset", () => {
  const given = { checkId: "c", frequencyMinutes: 0, frequencyOffset: null };
  assert.throws(() => planSchedule(given), RangeError);
});

test("a run is due strictly after the given time, and at most a period later", () => {
  fc.assert(
    fc.property(settings, times, fc.double({ min: 0, max: 1, noNaN: true }), (given, at, part) => {
      const plan = planSchedule(given);
      const afterMs = at + part;
      const dueAtMs = nextDueAtMs(plan, afterMs);
      assert.ok(dueAtMs > afterMs && dueAtMs - afterMs <= plan.periodMs);
      assert.equal((dueAtMs - plan.splayMs) % plan.periodMs, 0);
    }),
  );
});

test("consecutive due times leave no gap and have consecutive numbers", () => {
  fc.assert(
    fc.property(settings, times, (given, startMs) => {
      const plan = planSchedule(given);
      let dueAtMs = nextDueAtMs(plan, startMs);
      for (let step = 0; step < 20; step += 1) {
        const following = nextDueAtMs(plan, dueAtMs);
        assert.equal(following - dueAtMs, plan.periodMs);
        assert.equal(runNumberOf(plan, following), runNumberOf(plan, dueAtMs) + 1);
        dueAtMs = following;
      }
    }),
  );
});

test("a restart does not shift the schedule", () => {
  fc.assert(
    fc.property(settings, times, fc.nat({ max: 10 * hourMs }), (given, startMs, downMs) => {
      const before = planSchedule(given);
      const after = planSchedule({ ...given });
      const wouldBe = nextDueAtMs(before, startMs + downMs);
      let walked = nextDueAtMs(after, startMs);
      const skipped = Math.floor((wouldBe - walked) / after.periodMs);
      walked += skipped * after.periodMs;
      assert.equal(walked, wouldBe);
    }),
  );
});

test("round robin visits every location once in as many runs, in the order of the list", () => {
  const lists = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(
      lists,
      fc.integer({ min: -1_000, max: 1e9 }),
      fc.uuid(),
      (locations, first, checkId) => {
        const chosen = { checkId, locations, runParallel: false };
        const visited = locations.flatMap((_, step) =>
          chooseLocations({ ...chosen, runNumber: first + step }),
        );
        const from = locations.indexOf(visited[0] ?? "");
        assert.deepEqual(visited, [...locations.slice(from), ...locations.slice(0, from)]);
        const again = { ...chosen, runNumber: first + locations.length };
        assert.equal(chooseLocations(again)[0], visited[0]);
      },
    ),
  );
});

test("runs of the same minute are spread over the locations, check by check", () => {
  const locations = Array.from({ length: 22 }, (_, place) => `place-${place}`);
  const counts = new Map<string, number>();
  for (let check = 0; check < 11_000; check += 1) {
    const checkId = randomUUIDv7();
    const choice = { checkId, runNumber: 29_000_000, locations, runParallel: false };
    for (const place of chooseLocations(choice)) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  assert.equal(counts.size, 22);
  for (const count of counts.values()) assert.ok(count > 380 && count < 620, String(count));
});

test("a parallel run uses all locations, and without locations there is none", () => {
  const locations = ["a", "b", "c"];
  const checkId = randomUUIDv7();
  assert.deepEqual(
    chooseLocations({ checkId, runNumber: 7, locations, runParallel: true }),
    locations,
  );
  assert.deepEqual(
    chooseLocations({ checkId, runNumber: 7, locations: [], runParallel: false }),
    [],
  );
});
