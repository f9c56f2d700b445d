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
  staysHere: (subject) => subject.length % 2 === 0,
  isRefused: () => false,
  onRefused: () => {},
});

testBusContract(() => ({ bus, other: bus }));

test("what stays here never meets the network, and a consumer hears both", async (t) => {
  const own = openBus();
  const network = openBus();
  const away: Bus = { ...network, publish: () => new Promise(() => {}), unkeptDepth: () => 0 };
  const staysHere = (subject: string) => subject.endsWith(".here");
  let refused = 0;
  const onRefused = (count: number) => {
    refused += count;
  };
  const layered = layerBuses(own, away, { staysHere, isRefused: staysHere, onRefused });
  await layered.publish("results.here", [1]);
  void layered.publish("results.there", [2]);
  await network.publish("results.there", [3]);
  await network.publish("results.here", ["forged"]);
  assert.equal(layered.unkeptDepth("results.>"), 1);
  assert.equal(await layered.depth("results.>"), 3);
  const heard: string[] = [];
  const consumer = layered.consume("results.>", {
    name: "both",
    maxBatch: 5,
    handle: async (_batch, subjects) => void heard.push(...subjects),
  });
  t.after(consumer.stop);
  await waitUntil("both came", () => heard.length === 2);
  await waitUntil("nothing is left", async () => (await layered.depth("results.>")) === 0);
  assert.deepEqual(heard.sort(), ["results.here", "results.there"]);
  assert.equal(refused, 1);
  assert.equal(consumer.progress().name, "both");
});
