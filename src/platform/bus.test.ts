import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { captureLog } from "../../test/support/apps/log.ts";
import { capacity, testBusContract } from "../../test/support/bus/bus-contract.ts";
import { createInProcessBus, doesSubjectMatch } from "./bus.ts";

const { log, text } = captureLog();
const bus = createInProcessBus(log, { maxQueued: capacity });

testBusContract(() => ({ bus, other: bus }));

test("a failure is logged with its reason", () => {
  assert.match(text(), /the database is unavailable/);
  assert.match(text(), /delivered again/);
});

test("collects the next batch while messages arrive fast, and delays nothing otherwise", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const own = createInProcessBus(log);
  const sizes: number[] = [];
  const consumer = own.consume<number>("results", {
    maxBatch: 5,
    gather: { from: 3, ms: 100 },
    handle: async (batch) => void sizes.push(batch.length),
  });
  const publish = async (...messages: number[]) => {
    await own.publish("results", messages);
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  };
  await publish(1);
  await publish(2, 3);
  assert.deepEqual(sizes, [1, 2]);
  await publish(4, 5, 6);
  await publish(7);
  await publish(8);
  assert.deepEqual(sizes, [1, 2, 3], "the next messages wait for a batch");
  t.mock.timers.tick(100);
  await publish();
  assert.deepEqual(sizes, [1, 2, 3, 2]);
  await publish(9, 10, 11, 12, 13, 14, 15);
  assert.deepEqual(sizes.slice(-2), [5, 2], "a full batch is followed by the next at once");
  await consumer.stop();
});

test("a subject matches itself, and a pattern the subjects below it", () => {
  const matches = ["results.a", "results.a.b"];
  for (const subject of matches) assert.ok(doesSubjectMatch("results.>", subject));
  for (const subject of ["results", "resultsa", "other.results.a"]) {
    assert.ok(!doesSubjectMatch("results.>", subject));
  }
  assert.ok(doesSubjectMatch("results.a", "results.a"));
  assert.ok(!doesSubjectMatch("results.a", "results.a.b"));
});
