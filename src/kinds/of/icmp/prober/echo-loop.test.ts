import assert from "node:assert/strict";
import { closeSync } from "node:fs";
import { test } from "node:test";
import { openLibc } from "../../../wire/kernel/libc.ts";
import { EchoLoop } from "./echo-loop.ts";
import { ANSWERED, FAMILY_V4 } from "./slots.ts";
import {
  copyPackets,
  LOCAL_OVERLOAD,
  MEASURED,
  NO_FREE_SLOT,
  NO_SOCKET,
  readResults,
} from "./wire.ts";

interface Outcome {
  readonly outcome: number;
  readonly repeats: number;
  readonly answered: number;
}

function startLoop(bufferBytes: number) {
  const libc = openLibc(512 * 1024, null);
  const loop = new EchoLoop({
    libc,
    cookie: { low: 11, high: 22 },
    slotCounts: { smallRuns: 200, largeRuns: 1 },
    baseSeconds: Math.floor(Date.now() / 1000) - 1,
    bufferBytes,
  });
  const isOpen = loop.openFamily("IPv4", "datagram") === 0 || loop.openFamily("IPv4", "raw") === 0;
  const close = () => {
    loop.closeFamily("IPv4");
    closeSync(loop.bellFd);
  };
  return { loop, isOpen, close };
}

function submitRuns(loop: EchoLoop, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const address = Uint32Array.of(0x0000_067f | ((index + 1) << 24), 0, 0, 0);
    const order = { requestId: index, family: FAMILY_V4, packetCount: 5, spacingMs: 0 };
    loop.submit({ ...order, timeoutMs: 60, payloadBytes: 1000, address });
  }
}

function finishAll(loop: EchoLoop): Outcome[] {
  const outcomes: Outcome[] = [];
  while (loop.openRuns > 0) loop.turn(performance.now() + 10);
  readResults(loop.results.take(), (result) => {
    const { outcome, repeats } = result;
    const answered = copyPackets(result).filter(({ status }) => status === ANSWERED).length;
    outcomes.push({ outcome, repeats, answered });
  });
  return outcomes;
}

const trial = startLoop(8 * 1024 * 1024);
trial.close();
const skip = trial.isOpen ? false : "SKIPPED LOUDLY: no ICMP socket may be opened here";

test("an overflow of our own queue is never reported as packet loss", { skip }, () => {
  const { loop, close } = startLoop(1);
  submitRuns(loop, 100);
  const outcomes = finishAll(loop);
  close();
  assert.equal(outcomes.length, 100);
  assert.ok(loop.counters.localDrops > 0, "the test must provoke drops");
  assert.ok(loop.counters.repeats > 0);
  for (const { outcome, repeats, answered } of outcomes) {
    if (outcome === LOCAL_OVERLOAD) assert.ok(repeats === 2 || loop.counters.sendBlocked > 0);
    else assert.deepEqual([outcome, answered], [MEASURED, 5]);
  }
});

test("with larger queues the same load loses and repeats nothing", { skip }, () => {
  const { loop, close } = startLoop(8 * 1024 * 1024);
  submitRuns(loop, 100);
  const outcomes = finishAll(loop);
  close();
  assert.ok(outcomes.every(({ outcome, answered }) => outcome === MEASURED && answered === 5));
  assert.deepEqual([loop.counters.localDrops, loop.counters.repeats], [0, 0]);
});

test("orders beyond the slots or without a socket fail at once", { skip }, () => {
  const { loop, close } = startLoop(8 * 1024 * 1024);
  submitRuns(loop, 210);
  const full = finishAll(loop).filter(({ outcome }) => outcome === NO_FREE_SLOT);
  assert.equal(full.length, 9);
  close();
  submitRuns(loop, 1);
  assert.deepEqual(finishAll(loop), [{ outcome: NO_SOCKET, repeats: 0, answered: 0 }]);
});
