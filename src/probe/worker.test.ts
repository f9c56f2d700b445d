import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { captureLog } from "../../test/support/apps/log.ts";
import type { Order } from "../contract/order.ts";
import type { Outcome, Result } from "../contract/result.ts";
import { createInProcessBus } from "../platform/bus.ts";
import { type ProbeWorkerOptions, startProbeWorker } from "./worker.ts";

const maxOpenRuns = 30_000;
const trouble = { kind: "unresolved", code: "ENOTFOUND", message: "no such name" };
const unresolved: Outcome = { kind: "unreachable", trouble };

function makeOrder(number = 0): Order {
  return {
    runId: `run ${number}`,
    checkId: "check",
    kind: "ICMP",
    location: "home",
    attempt: 1,
    dueAtMs: 1_000,
    startAtMs: 1_000,
    deadlineAtMs: 20_000,
    request: { hostname: "example.org", ipFamily: "IPv4", pingCount: 1 },
  };
}

const orders = (count: number) => Array.from({ length: count }, (_, number) => makeOrder(number));

/** A worker with its own bus; published batches are recorded. */
function openWorker(t: TestContext, run: ProbeWorkerOptions["run"]) {
  const { log, text } = captureLog();
  const bus = createInProcessBus(log);
  const clock = { nowMs: 1_010 };
  const batches: (readonly Result[])[] = [];
  const consumer = bus.consume<Result>("results", {
    maxBatch: 100_000,
    handle: async (batch) => void batches.push(batch),
  });
  t.after(consumer.stop);
  const worker = startProbeWorker({
    bus,
    log,
    probeId: "probe",
    run,
    orderSubject: "orders",
    resultSubject: "results",
    trialSubjectOf: (serverId) => `news.${serverId}`,
    nowMs: () => clock.nowMs,
  });
  return {
    worker,
    clock,
    batches,
    logText: text,
    send: (...list: Order[]) => bus.publish("orders", list),
    results: async (count: number) => {
      while (batches.flat().length < count) await setImmediate();
      return batches.flat();
    },
  };
}

test("an order yields a result with the outcome, the probe and the times", async (t) => {
  const { worker, clock, send, results } = openWorker(t, async () => {
    clock.nowMs = 1_500;
    return unresolved;
  });
  await send(makeOrder());
  const { startAtMs: _startAtMs, deadlineAtMs: _deadlineAtMs, ...run } = makeOrder();
  assert.deepEqual(await results(1), [
    { ...run, startedAtMs: 1_010, stoppedAtMs: 1_500, probeId: "probe", outcome: unresolved },
  ]);
  await worker.stop();
});

test("an order that arrives after its deadline is not run, and the result reports it", async (t) => {
  const probed: string[] = [];
  const { worker, clock, send, results } = openWorker(t, async (order) => {
    probed.push(order.runId);
    return unresolved;
  });
  clock.nowMs = 20_000;
  await send(makeOrder(1));
  await results(1);
  clock.nowMs = 20_001;
  await send(makeOrder(2));
  const [, late] = await results(2);
  assert.equal(late?.outcome.kind, "too-late");
  assert.deepEqual(probed, ["run 1"]);
  await worker.stop();
});

test("runs above the limit are answered at once: the probe is overloaded", async (t) => {
  const { promise: gate, resolve: open } = Promise.withResolvers<Outcome>();
  const { worker, send, results } = openWorker(t, () => gate);
  await send(...orders(maxOpenRuns + 2));
  const rejected = await results(2);
  assert.deepEqual(
    rejected.map(({ runId, outcome }) => [runId, outcome.kind]),
    [
      [`run ${maxOpenRuns}`, "overloaded"],
      [`run ${maxOpenRuns + 1}`, "overloaded"],
    ],
  );
  const [first] = rejected;
  assert.ok(first !== undefined && "message" in first.outcome);
  assert.match(first.outcome.message, /overloaded: 30000 runs are open/);
  assert.equal(worker.openRuns(), maxOpenRuns);
  open(unresolved);
  await results(maxOpenRuns + 2);
  assert.equal(worker.openRuns(), 0);
  await send(makeOrder(-1));
  const all = await results(maxOpenRuns + 3);
  assert.equal(all.at(-1)?.outcome.kind, "unreachable", "a run can start again");
  await worker.stop();
});

test("a prober that throws fails only its own run", async (t) => {
  const { worker, send, results, logText } = openWorker(t, async (order) => {
    if (order.runId === "run 1") throw new Error("a bug of ours");
    return unresolved;
  });
  await send(...orders(3));
  const kinds = new Map((await results(3)).map(({ runId, outcome }) => [runId, outcome.kind]));
  assert.deepEqual([...kinds.entries()].sort(), [
    ["run 0", "unreachable"],
    ["run 1", "interrupted"],
    ["run 2", "unreachable"],
  ]);
  assert.match(logText(), /a prober failed/);
  assert.match(logText(), /a bug of ours/);
  assert.equal(worker.openRuns(), 0);
  await worker.stop();
});

test("results are published in batches of at most five hundred", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { worker, batches, send, results } = openWorker(t, async () => unresolved);
  await send(...orders(1_002));
  await results(1_000);
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  assert.equal(batches.flat().length, 1_000, "the last two wait for the batch");
  t.mock.timers.tick(20);
  await results(1_002);
  await worker.stop();
});

test("stop publishes the collected results and those of runs that end meanwhile", async (t) => {
  const { promise: gate, resolve: open } = Promise.withResolvers<Outcome>();
  const { worker, batches, send } = openWorker(t, (order) =>
    order.runId === "run 0" ? Promise.resolve(unresolved) : gate,
  );
  await send(...orders(2));
  while (worker.openRuns() !== 1) await setImmediate();
  const stopped = worker.stop();
  await setImmediate();
  open({ kind: "interrupted", message: "The ping engine was closed." });
  await stopped;
  await setImmediate();
  const kinds = batches.flat().map(({ outcome }) => outcome.kind);
  assert.deepEqual(kinds, ["unreachable", "interrupted"]);
  await send(makeOrder(2));
  await setImmediate();
  assert.equal(worker.openRuns(), 0, "a stopped worker accepts no orders");
});

test("a drain accepts no further orders and lets the open runs finish", async (t) => {
  const ends: (() => void)[] = [];
  const { worker, send, results } = openWorker(t, async () => {
    await new Promise<void>((resume) => ends.push(resume));
    return unresolved;
  });
  await send(makeOrder(1));
  while (ends.length === 0) await setImmediate();
  let isDrained = false;
  const drained = worker.drain(600_000).then(() => {
    isDrained = true;
  });
  await send(makeOrder(2));
  await setImmediate();
  assert.equal(isDrained, false);
  ends[0]?.();
  await drained;
  assert.equal(worker.openRuns(), 0);
  assert.deepEqual(
    (await results(1)).map(({ outcome }) => outcome),
    [unresolved],
  );
});

test("a run that never ends does not block the stop", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { worker, batches, send } = openWorker(t, (order) =>
    order.runId === "run 0" ? Promise.resolve(unresolved) : new Promise(() => {}),
  );
  await send(...orders(2));
  while (worker.openRuns() !== 1) await setImmediate();
  let isStopped = false;
  const stopped = worker.stop().then(() => {
    isStopped = true;
  });
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  assert.equal(isStopped, false);
  t.mock.timers.tick(2_000);
  await stopped;
  await setImmediate();
  assert.deepEqual(
    batches.flat().map(({ runId }) => runId),
    ["run 0"],
  );
});
