import assert from "node:assert/strict";
import { test } from "node:test";
import { findLinkUrl, findPauseMs, ServerClock } from "./server-link.ts";

/** A machine with clocks set by the test; the server's clock is the reference. */
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

test("before the first welcome, the machine's own clock is used", () => {
  const { clock, world } = openMachine(4_000);
  assert.equal(clock.nowMs(), world.serverMs + 4_000);
  assert.equal(clock.skewMs(), null);
});

test("a skew of minutes is measured, and the server's time is used", () => {
  for (const skewMs of [-300_000, 0, 125_000]) {
    const { clock, world, exchange } = openMachine(skewMs);
    exchange(20, 20);
    assert.equal(clock.skewMs(), skewMs);
    assert.equal(clock.nowMs(), world.serverMs);
  }
});

test("setting the machine's clock does not shift the times of runs", () => {
  const { clock, world, exchange } = openMachine(0);
  exchange(10, 10);
  world.skewMs = -600_000;
  world.serverMs += 3_000;
  assert.equal(clock.nowMs(), world.serverMs);
  assert.equal(clock.skewMs(), -600_000);
});

test("the fastest of the recent round trips is used, not an asymmetric one", () => {
  const { clock, world, exchange } = openMachine(0);
  exchange(2, 2);
  exchange(400, 0);
  assert.ok(Math.abs(clock.nowMs() - world.serverMs) < 1);
});

test("after a machine wakes from sleep, the next hello corrects the time", () => {
  const { clock, world, exchange } = openMachine(0);
  exchange(1, 1);
  // The monotonic clock stopped for an hour.
  world.bootMs += 3_600_000;
  world.serverMs += 3_600_000;
  exchange(30, 30);
  assert.ok(Math.abs(clock.nowMs() - world.serverMs) < 1);
});

test("pauses between attempts grow, are bounded and have jitter", () => {
  assert.deepEqual([findPauseMs(0, 0), findPauseMs(0, 1)], [250, 500]);
  assert.ok(findPauseMs(3, 0) > findPauseMs(0, 1));
  assert.deepEqual([findPauseMs(50, 0), findPauseMs(50, 1)], [5_000, 10_000]);
});

test("the link's URL is derived from the server's public URL", () => {
  const cases = [
    ["https://a.example", "wss://a.example/v1/probe"],
    ["http://127.0.0.1:3000/", "ws://127.0.0.1:3000/v1/probe"],
    ["https://a.example/base/", "wss://a.example/base/v1/probe"],
  ] as const;
  for (const [server, url] of cases) assert.equal(findLinkUrl(server).href, url);
});
