import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decideSlot, type Storm } from "./storm.ts";

/** Returns when alerts at the given seconds are sent, and the number of messages. */
function send(seconds: readonly number[]) {
  let storm: Storm | null = null;
  const slots = seconds.map((second) => {
    storm = decideSlot(storm, second * 1_000);
    return storm.slotAtMs / 1_000;
  });
  return { slots, messages: new Set(slots).size };
}

test("the first alert is sent at once, and those that follow share updates", () => {
  assert.deepEqual(send([0, 0, 1, 4, 5, 6, 11, 16, 21, 31, 60, 61, 125]).slots, [
    ...[0, 0, 5, 5, 5, 10, 15, 20, 30, 60, 60, 120, 180],
  ]);
});

test("a check a second for a minute is seven messages, and no page waits for a minute", () => {
  const seconds = Array.from({ length: 57 }, (_, second) => second);
  assert.equal(send(seconds).messages, 7);
});

test("a minute without an alert ends the storm", () => {
  assert.deepEqual(send([0, 59, 120, 300, 301]).slots, [0, 60, 120, 300, 305]);
  assert.deepEqual(send([0, 60]).slots, [0, 60]);
});

test("no alert waits for more than a minute, nor is it sent before it exists", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 50 });
  fc.assert(
    fc.property(gaps, (list) => {
      let second = 0;
      const seconds = list.map((gap) => (second += gap));
      for (const [index, slot] of send(seconds).slots.entries()) {
        const waited = slot - (seconds[index] ?? 0);
        assert.ok(waited >= 0 && waited < 60, `${waited} s`);
      }
    }),
  );
});
