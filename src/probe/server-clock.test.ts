import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerClock } from "./server-clock.ts";
import { findLinkUrl, findPauseMs } from "./server-link.ts";

/** A machine whose clocks are in the test's hand: the server's is the truth. */
function openMachine(skewMs: number) {
  const world = { serverMs: 1_700_000_000_000, bootMs: 1_699_999_000_000, skewMs };
  const monotonicMs = () => world.serverMs - world.bootMs;
  const clock = new ServerClock(monotonicMs, () => world.serverMs + world.skewMs);
  const exchange = (thereMs: number, backMs: number) => {
    const sentAtMs = monotonicMs();
    world.serverMs += thereMs;
    const heardAtMs = world.serverMs;
    world.serverMs += 5;
    const answeredAtMs = world.serverMs;
    world.serverMs += backMs;
    clock.note({ sentAtMs, heardAtMs, answeredAtMs, receivedAtMs: monotonicMs() });
  };
  return { world, clock, exchange };
}

test("before the server was heard, the machine's own clock is all there is", () => {
  const { clock, world } = openMachine(4_000);
  assert.equal(clock.nowMs(), world.serverMs + 4_000);
  assert.equal(clock.skewMs(), null);
});

test("a clock that is minutes off is measured, and the time is the server's", () => {
  for (const skewMs of [-300_000, 0, 125_000]) {
    const { clock, world, exchange } = openMachine(skewMs);
    exchange(20, 20);
    assert.equal(clock.skewMs(), skewMs);
    assert.equal(clock.nowMs(), world.serverMs);
  }
});

test("a clock that is set moves no times of runs", () => {
  const { clock, world, exchange } = openMachine(0);
  exchange(10, 10);
  world.skewMs = -600_000;
  world.serverMs += 3_000;
  assert.equal(clock.nowMs(), world.serverMs);
  assert.equal(clock.skewMs(), -600_000);
});

test("the quickest of the last round trips counts, not a lopsided one", () => {
  const { clock, world, exchange } = openMachine(0);
  exchange(2, 2);
  exchange(400, 0);
  assert.ok(Math.abs(clock.nowMs() - world.serverMs) < 1);
});

test("a machine that slept learns the time anew with the next hello", () => {
  const { clock, world, exchange } = openMachine(0);
  exchange(1, 1);
  // Its clock that never jumps stood still for an hour.
  world.bootMs += 3_600_000;
  world.serverMs += 3_600_000;
  exchange(30, 30);
  assert.ok(Math.abs(clock.nowMs() - world.serverMs) < 1);
});

test("pauses between attempts grow, are bounded, and are never the same for all", () => {
  assert.deepEqual([findPauseMs(0, 0), findPauseMs(0, 1)], [250, 500]);
  assert.ok(findPauseMs(3, 0) > findPauseMs(0, 1));
  assert.deepEqual([findPauseMs(50, 0), findPauseMs(50, 1)], [5_000, 10_000]);
});

test("the link is found from the address that people know", () => {
  const cases = [
    ["https://a.example", "wss://a.example/v1/probe"],
    ["http://127.0.0.1:3000/", "ws://127.0.0.1:3000/v1/probe"],
    ["https://a.example/base/", "wss://a.example/base/v1/probe"],
  ] as const;
  for (const [server, url] of cases) assert.equal(findLinkUrl(server).href, url);
});
