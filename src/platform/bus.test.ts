import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { captureLog } from "../../test/support/apps/log.ts";
import { createInProcessBus } from "./bus.ts";

const openBus = () => createInProcessBus(captureLog().log);
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at);
const maxQueued = 100_000;

/** Everything that does not wait for a timer or for I/O has happened by then. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let isDone = false;
  void promise.then(() => {
    isDone = true;
  });
  await settle();
  return !isDone;
}

test("messages arrive in the order they were published, and in batches within the limit", async () => {
  const bus = openBus();
  await bus.publish("numbers", numbers(10));
  const batches: (readonly number[])[] = [];
  const handle = async (batch: readonly number[]) => void batches.push(batch);
  const consumer = bus.consume<number>("numbers", { maxBatch: 4, handle });
  await settle();
  await bus.publish("numbers", numbers(3, 10));
  await settle();
  assert.deepEqual(batches.flat(), numbers(13));
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [4, 4, 2, 3],
  );
  assert.equal(bus.depth("numbers"), 0);
  await consumer.stop();
});

test("subjects do not mix, and consumers of one share its messages", async () => {
  const bus = openBus();
  const taken: Record<string, number[]> = { one: [], other: [], elsewhere: [] };
  const take = (name: string) => async (batch: readonly number[]) => {
    taken[name]?.push(...batch);
    await setImmediate();
  };
  const consumers = [
    bus.consume<number>("a", { maxBatch: 1, handle: take("one") }),
    bus.consume<number>("a", { maxBatch: 1, handle: take("other") }),
    bus.consume<number>("b", { maxBatch: 1, handle: take("elsewhere") }),
  ];
  await bus.publish("a", numbers(6));
  await bus.publish("b", [100]);
  while (bus.depth("a") > 0) await setImmediate();
  await settle();
  assert.deepEqual([...(taken.one ?? []), ...(taken.other ?? [])].sort(), numbers(6));
  assert.ok((taken.one?.length ?? 0) > 0 && (taken.other?.length ?? 0) > 0);
  assert.deepEqual(taken.elsewhere, [100]);
  await Promise.all(consumers.map((consumer) => consumer.stop()));
});

test("a batch that fails is handed over again, before what came after it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { log, text } = captureLog();
  const bus = createInProcessBus(log);
  const seen: (readonly number[])[] = [];
  let isBroken = true;
  const consumer = bus.consume<number>("numbers", {
    maxBatch: 2,
    handle: async (batch) => {
      seen.push(batch);
      if (isBroken) throw new Error("the database is away");
    },
  });
  await bus.publish("numbers", numbers(3));
  await settle();
  assert.deepEqual(seen, [[0, 1]]);
  assert.equal(bus.depth("numbers"), 3, "nothing is lost");
  assert.match(text(), /handed over again/);
  await settle();
  assert.equal(seen.length, 1, "it waits before it tries again");
  t.mock.timers.tick(500);
  await settle();
  assert.deepEqual(seen, [
    [0, 1],
    [0, 1],
  ]);
  isBroken = false;
  t.mock.timers.tick(500);
  await settle();
  assert.deepEqual(seen.slice(2), [[0, 1], [2]]);
  await consumer.stop();
});

test("who publishes too much waits until there is room, and loses nothing", async () => {
  const bus = openBus();
  await bus.publish("numbers", numbers(maxQueued));
  const waiting = bus.publish("numbers", [maxQueued]);
  assert.ok(await isPending(waiting));
  assert.equal(bus.depth("numbers"), maxQueued);
  await bus.publish("another", [1]);
  let next = 0;
  const consumer = bus.consume<number>("numbers", {
    maxBatch: 1_000,
    handle: async (batch) => {
      for (const number of batch) assert.equal(number, next++);
    },
  });
  await waiting;
  while (next <= maxQueued) await setImmediate();
  await consumer.stop();
});

test("stopping waits for the batch in hand and leaves the rest queued", async () => {
  const bus = openBus();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const handled: number[] = [];
  const consumer = bus.consume<number>("numbers", {
    maxBatch: 1,
    handle: async ([number = -1]) => {
      await gate;
      handled.push(number);
    },
  });
  await bus.publish("numbers", numbers(3));
  await settle();
  const stopped = consumer.stop();
  assert.ok(await isPending(stopped));
  open();
  await stopped;
  assert.deepEqual(handled, [0]);
  await bus.publish("numbers", [3]);
  await settle();
  assert.equal(bus.depth("numbers"), 3);
});

test("a consumer that waits for messages stops at once", async () => {
  const consumer = openBus().consume("nothing", { maxBatch: 1, handle: async () => {} });
  await settle();
  await consumer.stop();
});
