import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { captureLog } from "../../test/support/apps/log.ts";
import { type Loop, startLoop } from "./loop.ts";

/** Lets all settled promises run their callbacks. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Turn {
  readonly finish: () => void;
  readonly fail: (error: Error) => void;
}

/** A loop whose timers and turns are controlled by the test. */
function startTestLoop(t: TestContext, everyMs = 1_000) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { log, text: logText } = captureLog();
  const turns: Turn[] = [];
  const turn = () =>
    new Promise<void>((finish, fail) => {
      turns.push({ finish, fail });
    });
  const loop: Loop = startLoop({ name: "count", everyMs, log, turn });
  return { loop, turns, logText, tick: (ms: number) => t.mock.timers.tick(ms) };
}

describe("a background loop", () => {
  it("runs its first turn after the pause, not at once", (t) => {
    const { turns, tick } = startTestLoop(t);
    tick(999);
    assert.equal(turns.length, 0);
    tick(1);
    assert.equal(turns.length, 1);
  });

  it("runs one turn at a time and pauses after each", async (t) => {
    const { turns, tick } = startTestLoop(t);
    tick(1_000);
    tick(60_000);
    assert.equal(turns.length, 1, "the first turn is still running");
    turns[0]?.finish();
    await settle();
    tick(999);
    assert.equal(turns.length, 1);
    tick(1);
    assert.equal(turns.length, 2);
  });

  it("logs a failed turn with the name of the loop, and retries", async (t) => {
    const { turns, tick, logText } = startTestLoop(t);
    tick(1_000);
    turns[0]?.fail(new Error("the disk is full"));
    await settle();
    assert.match(logText(), /"loop":"count"/);
    assert.match(logText(), /the disk is full/);
    tick(1_000);
    assert.equal(turns.length, 2);
  });

  it("backs off while its turns fail, and reports the failures in its progress", async (t) => {
    const { loop, turns, tick } = startTestLoop(t);
    tick(1_000);
    turns[0]?.fail(new Error("away"));
    await settle();
    tick(1_000);
    turns[1]?.fail(new Error("away"));
    await settle();
    tick(1_999);
    assert.equal(turns.length, 2, "the second pause is twice as long");
    tick(1);
    assert.equal(turns.length, 3);
    assert.equal(loop.progress?.().errors, 2);
    turns[2]?.finish();
    await settle();
    assert.notEqual(loop.progress?.().lastSuccessAtMs, null);
    tick(1_000);
    assert.equal(turns.length, 4, "after a success the pause is the usual one");
  });

  it("retries a failed turn of a slow loop within a minute", async (t) => {
    const { turns, tick } = startTestLoop(t, 3_600_000);
    tick(3_600_000);
    turns[0]?.fail(new Error("away"));
    await settle();
    tick(60_000);
    assert.equal(turns.length, 2);
  });

  it("survives a turn that throws before it returns a promise", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { log, text } = captureLog();
    let turnCount = 0;
    const turn = () => {
      turnCount += 1;
      throw new Error("at once");
    };
    startLoop({ name: "throw", everyMs: 10, log, turn });
    t.mock.timers.tick(10);
    await settle();
    t.mock.timers.tick(10);
    assert.equal(turnCount, 2);
    assert.match(text(), /at once/);
  });

  it("runs no turn after it was stopped", async (t) => {
    const { loop, turns, tick } = startTestLoop(t);
    await loop.stop();
    tick(60_000);
    assert.equal(turns.length, 0);
  });

  it("waits on stop for the running turn, and starts no other", async (t) => {
    const { loop, turns, tick } = startTestLoop(t);
    tick(1_000);
    let isStopped = false;
    const stopping = loop.stop().then(() => {
      isStopped = true;
    });
    await settle();
    assert.equal(isStopped, false);
    turns[0]?.finish();
    await stopping;
    tick(60_000);
    assert.equal(turns.length, 1);
  });

  it("stops although the running turn fails", async (t) => {
    const { loop, turns, tick, logText } = startTestLoop(t);
    tick(1_000);
    const stopping = loop.stop();
    turns[0]?.fail(new Error("too late"));
    await stopping;
    assert.match(logText(), /too late/);
    tick(60_000);
    assert.equal(turns.length, 1);
  });

  it("can be woken early, but not before the minimum pause", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let turnCount = 0;
    let wake = () => {};
    const { log } = captureLog();
    startLoop({
      name: "sleep",
      everyMs: 60_000,
      restMs: 100,
      onWork: (handed) => {
        wake = handed;
      },
      log,
      turn: async () => {
        turnCount += 1;
      },
    });
    t.mock.timers.tick(100);
    await settle();
    assert.equal(turnCount, 1, "the first turn does not wait for a wake-up");
    t.mock.timers.tick(59_000);
    await settle();
    assert.equal(turnCount, 1);
    wake();
    wake();
    t.mock.timers.tick(100);
    await settle();
    assert.equal(turnCount, 2);
    t.mock.timers.tick(60_000);
    await settle();
    assert.equal(turnCount, 3, "it runs turns without a wake-up");
  });

  it("runs another turn if it is woken during one", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const turns: (() => void)[] = [];
    let wake = () => {};
    startLoop({
      name: "busy",
      everyMs: 60_000,
      restMs: 100,
      onWork: (handed) => {
        wake = handed;
      },
      log: captureLog().log,
      turn: () => new Promise((finish) => turns.push(finish)),
    });
    t.mock.timers.tick(100);
    wake();
    turns[0]?.();
    await settle();
    t.mock.timers.tick(99);
    assert.equal(turns.length, 1);
    t.mock.timers.tick(1);
    assert.equal(turns.length, 2);
  });

  it("sleeps until work is due, but no longer than its limit", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let turnCount = 0;
    let sleepMs = 5_000;
    startLoop({
      name: "due",
      everyMs: 60_000,
      restMs: 100,
      sleepMs: () => sleepMs,
      log: captureLog().log,
      turn: async () => {
        turnCount += 1;
      },
    });
    for (const [nextMs, pauseMs] of [
      [5_000, 100],
      [0, 5_000],
      [Number.POSITIVE_INFINITY, 100],
      [0, 60_000],
    ] as const) {
      sleepMs = nextMs;
      const before = turnCount;
      t.mock.timers.tick(pauseMs - 1);
      await settle();
      assert.equal(turnCount, before);
      t.mock.timers.tick(1);
      await settle();
      assert.equal(turnCount, before + 1);
    }
  });
});
