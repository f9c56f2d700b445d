import assert from "node:assert/strict";
import { test } from "node:test";
import { noAssets, noScripts } from "../../test/support/scripts/no-scripts.ts";
import type { Order } from "../contract/order.ts";
import type { Prober } from "../kinds/kit/prober.ts";
import { noTexts } from "../kinds/kit/secrets.ts";
import { createSocketThread } from "../kinds/wire/network/socket-thread.ts";
import { createReach } from "../platform/net/reach.ts";
import { createNameResolver } from "../platform/net/resolve.ts";
import { startProbers } from "./prober-set.ts";

const reach = createReach({ allow: [], deny: [] });
const log = () => {};
const socketThread = createSocketThread({ log });
const tools = {
  resolver: createNameResolver(),
  reach,
  socketThread,
  scripts: noScripts,
  assets: noAssets,
  log,
};
const order: Order = {
  runId: "run",
  checkId: "check",
  kind: "ONE",
  location: "home",
  attempt: 1,
  dueAtMs: 0,
  startAtMs: 0,
  deadlineAtMs: 1,
  request: {},
};

function makeProber(changed: Partial<Prober>): Prober {
  return {
    run: async () => ({ kind: "measured", measurement: 0 }),
    texts: noTexts,
    isFlawless: (measurement) => measurement === 0,
    canRun: () => true,
    listLimitations: () => [],
    close: async () => {},
    ...changed,
  };
}

test("an order is run by the prober of its kind; a kind without a prober cannot be checked", async () => {
  const probers = await startProbers(
    {
      ONE: async () => makeProber({}),
      TWO: async () => makeProber({ run: async () => ({ kind: "measured", measurement: 2 }) }),
    },
    tools,
  );
  assert.deepEqual(await probers.run(order, false), { kind: "measured", measurement: 0 });
  const two = await probers.run({ ...order, kind: "TWO" }, false);
  assert.deepEqual(two, { kind: "measured", measurement: 2 });
  assert.equal((await probers.run({ ...order, kind: "constructor" }, false)).kind, "cannot-check");
  const doubted = await probers.run({ ...order, kind: "TWO" }, true);
  assert.equal(doubted.kind, "cannot-check", "the cause may be the probe's own network");
});

test("a probe lists its limitations and warns about kinds that cannot run", async () => {
  const lame = { canRun: () => false, listLimitations: () => ["no sockets"] };
  const closed: string[] = [];
  const probers = await startProbers(
    {
      ONE: async () => makeProber({ ...lame, close: async () => void closed.push("one") }),
      TWO: async () => makeProber({ close: async () => void closed.push("two") }),
    },
    tools,
  );
  assert.deepEqual(probers.listLimitations(), ["no sockets"]);
  assert.deepEqual(probers.listWarnings(), ["no sockets"]);
  assert.equal(
    await probers.isReachable("host"),
    true,
    "no prober can check anchors, so they count as reachable",
  );
  await probers.close();
  assert.deepEqual(closed.sort(), ["one", "two"]);
  const partial = { listLimitations: () => ["no IPv6"] };
  const some = await startProbers({ ONE: async () => makeProber(partial) }, tools);
  assert.deepEqual(some.listWarnings(), [], "some of its checks can run");
});
