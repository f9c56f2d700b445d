/** Contract tests that every implementation of the message bus must pass. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Bus } from "../../../src/platform/bus.ts";
import { waitUntil } from "../time/wait-until.ts";

/** Capacity of a subject in these tests. It is small, so that a test can fill a subject quickly. */
export const capacity = 400;

export interface BusUnderTest {
  readonly bus: Bus;
  /**
   * Connection of another process to the bus. It equals `bus` if the implementation has only one
   * process.
   */
  readonly other: Bus;
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at);
/** Returns a new subject for each test, because all tests share the bus. */
const freshSubject = () => `orders.${randomUUID()}`;

/** Waits for a few round trips to the bus, then returns whether the promise is still pending. */
async function isPending(promise: Promise<unknown>, bus: Bus): Promise<boolean> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let turn = 0; turn < 5; turn += 1) {
    await bus.depth(freshSubject());
    await setImmediate();
  }
  return !isSettled;
}

const waitForDepth = (bus: Bus, subject: string, depth: number) =>
  waitUntil(`${depth} messages are left`, async () => (await bus.depth(subject)) === depth);

type Case = (t: TestContext, parts: BusUnderTest) => Promise<void>;

const cases: Record<string, Case> = {};

cases["messages arrive in order, in batches within the limit"] = async (t, { bus }) => {
  const subject = freshSubject();
  await bus.publish(subject, numbers(10));
  const batches: (readonly number[])[] = [];
  const consumer = bus.consume<number>(subject, {
    maxBatch: 4,
    handle: async (batch) => void batches.push(batch),
  });
  t.after(consumer.stop);
  await waitForDepth(bus, subject, 0);
  await bus.publish(subject, numbers(3, 10));
  await waitForDepth(bus, subject, 0);
  assert.deepEqual(batches.flat(), numbers(13));
  for (const batch of batches) assert.ok(batch.length <= 4, `${batch.length} at once`);
  assert.notEqual(consumer.progress().lastSuccessAtMs, null);
};

cases["consumers share the messages of a subject: each goes to one"] = async (t, parts) => {
  const subject = freshSubject();
  const taken = { one: [] as number[], other: [] as number[] };
  const start = (bus: Bus, name: keyof typeof taken) =>
    bus.consume<number>(subject, {
      maxBatch: 1,
      handle: async (batch) => {
        taken[name].push(...batch);
        await waitUntil("both received some", () => taken.one.length > 0 && taken.other.length > 0);
      },
    });
  const consumers = [start(parts.bus, "one"), start(parts.other, "other")];
  t.after(() => Promise.all(consumers.map((consumer) => consumer.stop())));
  for (let number = 0; number < 40; number += 1) await parts.bus.publish(subject, [number]);
  await waitForDepth(parts.bus, subject, 0);
  const sorted = [...taken.one, ...taken.other].sort((one, other) => one - other);
  assert.deepEqual(sorted, numbers(40));
  assert.ok(taken.one.length > 0 && taken.other.length > 0, JSON.stringify(taken));
};

cases["a consumer of all subjects below a name receives the subject"] = async (t, { bus }) => {
  const name = freshSubject();
  const seen: [string, number][] = [];
  const consumer = bus.consume<number>(`${name}.>`, {
    maxBatch: 10,
    handle: async (batch, subjects) => {
      for (const [at, number] of batch.entries()) seen.push([subjects[at] ?? "", number]);
    },
  });
  t.after(consumer.stop);
  const elsewhere = freshSubject();
  await bus.publish(elsewhere, [99]);
  for (const number of numbers(4)) {
    await bus.publish(`${name}.a`, [number]);
    await bus.publish(`${name}.b.c`, [10 + number]);
  }
  await waitForDepth(bus, `${name}.>`, 0);
  const of = (subject: string) => seen.filter(([at]) => at === subject).map(([, one]) => one);
  assert.deepEqual(of(`${name}.a`), numbers(4));
  assert.deepEqual(of(`${name}.b.c`), numbers(4, 10));
  assert.equal(seen.length, 8);
  assert.equal(await bus.depth(elsewhere), 1);
};

cases["a failed batch is delivered again first, and is not lost meanwhile"] = async (
  t,
  { bus },
) => {
  const subject = freshSubject();
  const handled: number[] = [];
  let isBroken = true;
  const firsts: number[] = [];
  const consumer = bus.consume<number>(subject, {
    maxBatch: 2,
    handle: async (batch) => {
      firsts.push(batch[0] ?? -1);
      if (isBroken) throw new Error("the database is unavailable");
      handled.push(...batch);
    },
  });
  t.after(consumer.stop);
  await bus.publish(subject, numbers(3));
  await waitUntil("it was delivered twice", () => firsts.length >= 2);
  assert.deepEqual([...new Set(firsts)], [0]);
  assert.equal(await bus.depth(subject), 3);
  assert.ok(consumer.progress().errors >= 1);
  isBroken = false;
  await waitForDepth(bus, subject, 0);
  assert.deepEqual([...new Set(handled)], numbers(3));
};

cases["a batch is acknowledged after it was handled"] = async (t, { bus }) => {
  const subject = freshSubject();
  const { promise: gate, resolve: finish } = Promise.withResolvers<void>();
  let isHandling = false;
  const consumer = bus.consume<number>(subject, {
    maxBatch: 5,
    handle: async () => {
      isHandling = true;
      await gate;
    },
  });
  t.after(consumer.stop);
  await bus.publish(subject, numbers(2));
  await waitUntil("it is in progress", () => isHandling);
  assert.equal(await bus.depth(subject), 2);
  finish();
  await waitForDepth(bus, subject, 0);
};

cases["a stop waits for the batch in progress and leaves the rest"] = async (t, parts) => {
  const { bus, other } = parts;
  const subject = freshSubject();
  const { promise: gate, resolve: finish } = Promise.withResolvers<void>();
  const handled: number[] = [];
  const consumer = bus.consume<number>(subject, {
    maxBatch: 1,
    handle: async (batch) => {
      handled.push(...batch);
      await gate;
    },
  });
  await bus.publish(subject, numbers(3));
  await waitUntil("one is in progress", () => handled.length > 0);
  const stopped = consumer.stop();
  assert.ok(await isPending(stopped, parts.bus));
  finish();
  await stopped;
  assert.deepEqual(handled, [0]);
  await bus.publish(subject, [3]);
  await waitForDepth(bus, subject, 3);
  const left: number[] = [];
  const next = other.consume<number>(subject, {
    maxBatch: 10,
    handle: async (batch) => void left.push(...batch),
  });
  t.after(next.stop);
  await waitForDepth(bus, subject, 0);
  assert.deepEqual(left, [1, 2, 3]);
};

cases["a consumer that waits for messages stops at once"] = async (_t, { bus }) => {
  const handle = async () => {};
  const consumer = bus.consume(freshSubject(), { maxBatch: 1, handle });
  const each = bus.consumeEach(freshSubject(), { maxOpen: 1, handle });
  await Promise.all([consumer.stop(), each.stop()]);
};
cases["each message is acknowledged independently"] = async (t, parts) => {
  const { bus } = parts;
  const subject = freshSubject();
  const gates = numbers(4).map(() => Promise.withResolvers<void>());
  const begun: number[] = [];
  const consumer = bus.consumeEach<number>(subject, {
    maxOpen: 3,
    handle: async (number, at) => {
      assert.equal(at, subject);
      begun.push(number);
      await gates[number]?.promise;
    },
  });
  t.after(consumer.stop);
  await bus.publish(subject, numbers(4));
  await waitUntil("the limit of open messages is reached", () => begun.length === 3);
  assert.equal(await bus.depth(subject), 4);
  gates[1]?.resolve();
  await waitUntil("the next one started", () => begun.length === 4);
  await waitForDepth(bus, subject, 3);
  assert.deepEqual(begun, numbers(4));
  for (const gate of gates) gate.resolve();
  await waitForDepth(bus, subject, 0);
};

cases["a failed message is delivered again, and blocks no other"] = async (t, parts) => {
  const { bus } = parts;
  const subject = freshSubject();
  const begun: number[] = [];
  let isBroken = true;
  const consumer = bus.consumeEach<number>(subject, {
    maxOpen: 2,
    handle: async (number) => {
      begun.push(number);
      if (number === 0 && isBroken) throw new Error("not now");
    },
  });
  t.after(consumer.stop);
  await bus.publish(subject, numbers(20));
  await waitForDepth(bus, subject, 1);
  await waitUntil("it was delivered again", () => begun.filter((one) => one === 0).length > 1);
  isBroken = false;
  await waitForDepth(bus, subject, 0);
  assert.deepEqual(
    begun.filter((one) => one !== 0),
    numbers(19, 1),
  );
};

cases["a stop waits for open messages; failed ones go to other consumers"] = async (t, parts) => {
  const subject = freshSubject();
  const { promise: gate, resolve: finish } = Promise.withResolvers<void>();
  const begun: number[] = [];
  const consumer = parts.bus.consumeEach<number>(subject, {
    maxOpen: 2,
    handle: async (number) => {
      begun.push(number);
      await gate;
      if (number === 0) throw new Error("this process ends");
    },
  });
  await parts.bus.publish(subject, numbers(5));
  await waitUntil("two are open", () => begun.length === 2);
  const stopped = consumer.stop();
  assert.ok(await isPending(stopped, parts.bus));
  finish();
  await stopped;
  assert.deepEqual(begun, [0, 1]);
  const left: number[] = [];
  const next = parts.other.consumeEach<number>(subject, {
    maxOpen: 5,
    handle: async (number) => void left.push(number),
  });
  t.after(next.stop);
  await waitForDepth(parts.bus, subject, 0);
  assert.deepEqual(left.sort(), [0, 2, 3, 4]);
};
cases["publishers wait while a subject is full, and nothing is lost"] = async (t, { bus }) => {
  const subject = freshSubject();
  await bus.publish(subject, numbers(capacity));
  const waiting = bus.publish(subject, numbers(5, capacity));
  assert.ok(await isPending(waiting, bus));
  await bus.publish(freshSubject(), [1]);
  assert.equal(await bus.depth(subject), capacity);
  const taken: number[] = [];
  const consumer = bus.consume<number>(subject, {
    maxBatch: 100,
    handle: async (batch) => void taken.push(...batch),
  });
  t.after(consumer.stop);
  await waiting;
  await waitForDepth(bus, subject, 0);
  taken.sort((one, another) => one - another);
  assert.deepEqual(taken, numbers(capacity + 5));
};

cases["an aborted publisher's message never arrives"] = async (t, { bus }) => {
  const subject = freshSubject();
  await bus.publish(subject, numbers(capacity));
  const waiter = new AbortController();
  const waiting = bus.publish(subject, ["late"], { signal: waiter.signal });
  assert.ok(await isPending(waiting, bus));
  waiter.abort(new Error("the deadline has passed"));
  await assert.rejects(waiting, /deadline/);
  await assert.rejects(bus.publish(subject, ["late"], { signal: waiter.signal }), /deadline/);
  const taken: unknown[] = [];
  const consumer = bus.consume(subject, {
    maxBatch: 1_000,
    handle: async (batch) => void taken.push(...batch),
  });
  t.after(consumer.stop);
  await waitForDepth(bus, subject, 0);
  assert.ok(!taken.includes("late"));
};

cases["messages of half a megabyte and with any characters arrive unchanged"] = async (
  t,
  { bus },
) => {
  const subject = freshSubject();
  const sent = {
    text: `\u0000"\\é漢😀`.repeat(40_000),
    nothing: null,
    deep: [{ a: [1.5, -0.25] }],
  };
  const taken: unknown[] = [];
  const consumer = bus.consume(subject, {
    maxBatch: 3,
    handle: async (batch) => void taken.push(...batch),
  });
  t.after(consumer.stop);
  await bus.publish<unknown>(subject, [sent, "", 0, sent]);
  await bus.publish(subject, []);
  await waitForDepth(bus, subject, 0);
  assert.deepEqual(taken, [sent, "", 0, sent]);
};

export function testBusContract(open: () => BusUnderTest, skip: string | false = false): void {
  for (const [name, run] of Object.entries(cases)) test(name, { skip }, (t) => run(t, open()));
}
