import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TimingWheel } from "./timing-wheel.ts";

const SLOTS = 20;
const TICK_MS = 2;

function takeAll(wheel: TimingWheel, nowMs: number): number[] {
  const taken: number[] = [];
  for (let slot = wheel.takeDue(nowMs); slot >= 0; slot = wheel.takeDue(nowMs)) taken.push(slot);
  return taken;
}

test("a slot becomes due at its time and not before", () => {
  const wheel = new TimingWheel(SLOTS, 64, TICK_MS, 1000);
  wheel.arm(3, 1010);
  assert.equal(wheel.nextDueMs(), 1010);
  assert.deepEqual(takeAll(wheel, 1009), []);
  assert.deepEqual(takeAll(wheel, 1010), [3]);
  assert.equal(wheel.nextDueMs(), Number.POSITIVE_INFINITY);
});

test("a slot armed for the past is due at once", () => {
  const wheel = new TimingWheel(SLOTS, 64, TICK_MS, 1000);
  wheel.arm(5, 10);
  assert.deepEqual(takeAll(wheel, 1000), [5]);
});

test("a time beyond the horizon becomes due at the horizon, for the caller to arm again", () => {
  const wheel = new TimingWheel(SLOTS, 64, TICK_MS, 0);
  wheel.arm(1, 1_000_000);
  assert.deepEqual(takeAll(wheel, 125), []);
  assert.deepEqual(takeAll(wheel, 126), [1]);
});

type Step =
  | { kind: "arm"; slot: number; delayMs: number }
  | { kind: "disarm"; slot: number }
  | { kind: "go"; ms: number };

test("any mix of arming, disarming and waiting behaves like a plain list of times", () => {
  const slot = fc.nat({ max: SLOTS - 1 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ kind: fc.constant("arm" as const), slot, delayMs: fc.nat({ max: 120 }) }),
    fc.record({ kind: fc.constant("disarm" as const), slot }),
    fc.record({ kind: fc.constant("go" as const), ms: fc.nat({ max: 90 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const wheel = new TimingWheel(SLOTS, 64, TICK_MS, 0);
      const times = new Map<number, number>();
      let nowMs = 0;
      for (const action of steps) {
        if (action.kind === "arm") {
          wheel.arm(action.slot, nowMs + action.delayMs);
          times.set(action.slot, nowMs + action.delayMs);
        } else if (action.kind === "disarm") {
          wheel.disarm(action.slot);
          times.delete(action.slot);
        } else {
          nowMs += action.ms;
          const tickMs = Math.floor(nowMs / TICK_MS) * TICK_MS;
          const expected = [...times].filter(([, at]) => at <= tickMs).map(([due]) => due);
          for (const due of expected) times.delete(due);
          assert.deepEqual(takeAll(wheel, nowMs).sort(), expected.sort());
        }
        assert.equal(wheel.armedCount, times.size);
      }
    }),
  );
});
