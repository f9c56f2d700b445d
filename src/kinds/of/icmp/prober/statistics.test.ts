import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { computeStatistics, type PacketRecord } from "./statistics.ts";

const packet = (sequence: number, rttMs: number | null): PacketRecord => ({
  sequence,
  sent: true,
  sentAt: sequence * 500,
  rttMs,
  duplicates: 0,
  lateReplies: 0,
});
const rtt = fc.option(fc.double({ min: 0, max: 60_000, noNaN: true }), { nil: null });
const run = fc
  .array(rtt, { minLength: 1, maxLength: 64 })
  .map((times) => times.map((rttMs, sequence) => packet(sequence, rttMs)));

test("a known run yields known numbers", () => {
  const statistics = computeStatistics([10, null, 30, 20, null, null].map((t, i) => packet(i, t)));
  assert.equal(statistics.packetsSent, 6);
  assert.equal(statistics.packetsReceived, 3);
  assert.equal(statistics.packetLossPercent, 50);
  assert.deepEqual(statistics.latency, {
    minMs: 10,
    avgMs: 20,
    maxMs: 30,
    stdDevMs: Math.sqrt(200 / 3),
  });
  assert.equal(statistics.longestLossBurst, 2);
  assert.equal(statistics.jitterMs, 20 / 16 + (10 - 20 / 16) / 16);
  assert.equal(statistics.reordered, 0);
});

test("a run without any reply has no latency and no jitter", () => {
  const statistics = computeStatistics([packet(0, null), packet(1, null)]);
  assert.equal(statistics.packetLossPercent, 100);
  assert.equal(statistics.latency, null);
  assert.equal(statistics.jitterMs, null);
});

test("a packet that this host rejected is lost but not sent", () => {
  const refused = { ...packet(0, null), sent: false };
  const statistics = computeStatistics([refused, packet(1, 5)]);
  assert.equal(statistics.packetsSent, 1);
  assert.equal(statistics.packetLossPercent, 50);
});

test("a reply that is overtaken by a later packet's reply is reordered", () => {
  const statistics = computeStatistics([packet(0, 1100), packet(1, 10), packet(2, 10)]);
  assert.equal(statistics.reordered, 1);
});

test("duplicates and late replies are summed over the packets", () => {
  const first = { ...packet(0, 1), duplicates: 2 };
  const second = { ...packet(1, null), lateReplies: 1 };
  const statistics = computeStatistics([first, second]);
  assert.equal(statistics.duplicates, 2);
  assert.equal(statistics.lateReplies, 1);
});

test("received and lost packets add up, and the average is between the extremes", () => {
  fc.assert(
    fc.property(run, (packets) => {
      const found = computeStatistics(packets);
      const lost = packets.filter(({ rttMs }) => rttMs === null).length;
      assert.equal(found.packetsReceived + lost, packets.length);
      assert.ok(found.packetLossPercent >= 0 && found.packetLossPercent <= 100);
      assert.ok(found.longestLossBurst <= lost);
      assert.ok(found.longestLossBurst >= (lost > 0 ? 1 : 0));
      assert.ok(found.reordered < Math.max(1, found.packetsReceived));
      if (found.latency === null) return;
      const { minMs, avgMs, maxMs, stdDevMs } = found.latency;
      assert.ok(minMs <= avgMs && avgMs <= maxMs);
      assert.ok(stdDevMs >= 0 && stdDevMs <= maxMs - minMs + 1e-9);
      assert.ok((found.jitterMs ?? 0) <= maxMs - minMs);
    }),
  );
});

test("equal round-trip times have neither deviation nor jitter", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e4, noNaN: true }), (rttMs) => {
      const found = computeStatistics([0, 1, 2].map((sequence) => packet(sequence, rttMs)));
      assert.equal(found.latency?.minMs, found.latency?.maxMs);
      assert.equal(found.latency?.avgMs, rttMs);
      assert.equal(found.latency?.stdDevMs, 0);
      assert.equal(found.jitterMs, 0);
    }),
  );
});
