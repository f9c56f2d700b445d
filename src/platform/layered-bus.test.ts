import assert from "node:assert/strict";
import { test } from "node:test";
import { captureLog } from "../../test/support/apps/log.ts";
import { capacity, testBusContract } from "../../test/support/bus/bus-contract.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { type Bus, createInProcessBus } from "./bus.ts";
import { layerBuses } from "./layered-bus.ts";

const { log } = captureLog();
const openBus = () => createInProcessBus(log, { maxQueued: capacity });
const bus = layerBuses(openBus(), openBus(), {
  isLocal: (subject) => subject.length % 2 === 0,
  isRejected: () => false,
  onRejected: () => {},
});

testBusContract(() => ({ bus, other: bus }));

test("local subjects never reach the network, and a consumer receives both", async (t) => {
  const own = openBus();
  const network = openBus();
  const away: Bus = { ...network, publish: () => new Promise(() => {}), volatileDepth: () => 0 };
  const isLocal = (subject: string) => subject.endsWith(".here");
  let rejected = 0;
  const onRejected = (count: number) => {
    rejected += count;
  };
  const layered = layerBuses(own, away, { isLocal, isRejected: isLocal, onRejected });
  await layered.publish("results.here", [1]);
  void layered.publish("results.there", [2]);
  await network.publish("results.there", [3]);
  await network.publish("results.here", ["forged"]);
  assert.equal(layered.volatileDepth("results.>"), 1);
  assert.equal(await layered.depth("results.>"), 3);
  const received: string[] = [];
  const consumer = layered.consume("results.>", {
    name: "both",
    maxBatch: 5,
    handle: async (_batch, subjects) => void received.push(...subjects),
  });
  t.after(consumer.stop);
  await waitUntil("both came", () => received.length === 2);
  await waitUntil("no messages remain", async () => (await layered.depth("results.>")) === 0);
  assert.deepEqual(received.sort(), ["results.here", "results.there"]);
  assert.equal(rejected, 1);
  assert.equal(consumer.progress().name, "both");
});
