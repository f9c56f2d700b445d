import assert from "node:assert/strict";
import { test } from "node:test";
import { createCounters } from "./counters.ts";
import { RunReport } from "./run-report.ts";
import { ANSWERED, FAMILY_V4, Slots } from "./slots.ts";
import { copyPackets, MEASURED, ResultList, readResults, type WirePacket } from "./wire.ts";

const MS_IN_NS = 1e6;

interface Times {
  readonly transmitMs: number | null;
  readonly receiveMs: number | null;
  /** The time that the monotonic clock measured around the packet. */
  readonly bracketMs: number;
}

function report({ transmitMs, receiveMs, bracketMs }: Times) {
  const slots = new Slots({ smallRuns: 1, largeRuns: 0 });
  const counters = createCounters();
  const results = new ResultList();
  const order = { requestId: 1, family: FAMILY_V4, packetCount: 1, spacingMs: 1, timeoutMs: 100 };
  const slot = slots.open({ ...order, payloadBytes: 56, address: new Uint32Array(4) });
  slots.status[0] = ANSWERED;
  slots.sentClockNs[0] = 999 * MS_IN_NS;
  if (transmitMs !== null) slots.transmitStampNs[0] = transmitMs * MS_IN_NS;
  if (receiveMs !== null) slots.receiveStampNs[0] = receiveMs * MS_IN_NS;
  slots.sentMonotonicMs[0] = 50;
  slots.receivedMonotonicMs[0] = 50 + bracketMs;
  new RunReport(slots, counters, results, 1000).write(slot, MEASURED);
  const found: WirePacket[] = [];
  readResults(results.take(), (result) => found.push(...copyPackets(result)));
  const [packet] = found;
  assert.ok(packet !== undefined);
  return { packet, counters };
}

test("the round-trip time is the difference of the kernel's two timestamps", () => {
  const { packet } = report({ transmitMs: 1000, receiveMs: 1020, bracketMs: 22 });
  assert.equal(packet.rttMs, 20);
  assert.equal(packet.sentAt, 1_000_000 + 1000);
});

test("without a transmit timestamp the time before the send call is used", () => {
  const { packet, counters } = report({ transmitMs: null, receiveMs: 1020, bracketMs: 22 });
  assert.equal(packet.rttMs, 21);
  assert.equal(counters.missingTransmitStamps, 1);
});

test("without a receive timestamp the monotonic clock is used", () => {
  const { packet, counters } = report({ transmitMs: 1000, receiveMs: null, bracketMs: 22 });
  assert.equal(packet.rttMs, 22);
  assert.equal(counters.missingReceiveStamps, 1);
});

test("a stepped wall clock is ignored", () => {
  for (const receiveMs of [900, 5000]) {
    const { packet, counters } = report({ transmitMs: 1000, receiveMs, bracketMs: 22 });
    assert.equal(packet.rttMs, 22);
    assert.equal(counters.clockSteps, 1);
  }
});

test("a reply that is in time by its timestamps counts even if it was read late", () => {
  const { packet } = report({ transmitMs: 1000, receiveMs: 1099, bracketMs: 4000 });
  assert.equal(packet.rttMs, 99);
});

test("a reply after the timeout is late and has no round-trip time", () => {
  const { packet } = report({ transmitMs: 1000, receiveMs: 1101, bracketMs: 110 });
  assert.equal(packet.rttMs, null);
  assert.equal(packet.late, true);
});
