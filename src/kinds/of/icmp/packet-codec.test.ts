import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodePackets, encodePackets, forEachRtt, packetBytes } from "./codec.ts";
import type { Packet } from "./measurement.ts";

const startedAtMs = 1_700_000_000_000;
const byte = fc.integer({ min: 0, max: 255 });
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const lists: fc.Arbitrary<Packet[]> = fc
  .array(
    fc.record({
      sentAtMs: orNull(fc.nat({ max: 600_000_000 }).map((us) => startedAtMs + us / 1_000)),
      rttMs: orNull(fc.double({ min: 0, max: 60_000, noNaN: true })),
      ttl: orNull(byte),
      type: orNull(byte),
      code: orNull(byte),
    }),
    { maxLength: 50 },
  )
  .map((packets) => packets.map((packet, sequence) => ({ sequence, ...packet })));

test("packets survive encoding, with send times to the microsecond", () => {
  fc.assert(
    fc.property(lists, (packets) => {
      const bytes = encodePackets(packets, startedAtMs);
      assert.equal(bytes.length, packets.length * packetBytes);
      const decoded = decodePackets(bytes, startedAtMs);
      const blurred = (packet: Packet) => ({ ...packet, sentAtMs: packet.sentAtMs !== null });
      assert.deepEqual(decoded.map(blurred), packets.map(blurred));
      for (const [index, packet] of packets.entries()) {
        const driftMs = (decoded[index]?.sentAtMs ?? 0) - (packet.sentAtMs ?? 0);
        assert.ok(Math.abs(driftMs) < 0.001);
      }
    }),
  );
});

test("encoding decoded packets yields the same bytes", () => {
  fc.assert(
    fc.property(lists, (packets) => {
      const bytes = encodePackets(packets, startedAtMs);
      const again = encodePackets(decodePackets(bytes, startedAtMs), startedAtMs);
      assert.deepEqual(again, bytes);
    }),
  );
});

test("all round trips of concatenated runs are visited, and losses are skipped", () => {
  fc.assert(
    fc.property(fc.array(lists, { maxLength: 10 }), (runs) => {
      const bytes = Buffer.concat(runs.map((packets) => encodePackets(packets, startedAtMs)));
      const visited: number[] = [];
      forEachRtt(bytes, (rttMs) => visited.push(rttMs));
      const expected = runs.flat().flatMap((packet) => packet.rttMs ?? []);
      assert.deepEqual(visited, expected);
    }),
  );
});

test("a time outside the run is clamped", () => {
  const packet: Packet = {
    sequence: 0,
    sentAtMs: startedAtMs - 5,
    rttMs: null,
    ttl: null,
    type: null,
    code: null,
  };
  const late = { ...packet, sequence: 1, sentAtMs: startedAtMs + 1e9 };
  const [early, last] = decodePackets(encodePackets([packet, late], startedAtMs), startedAtMs);
  assert.equal(early?.sentAtMs, startedAtMs);
  assert.equal(last?.sentAtMs, startedAtMs + 0xfffffffe / 1_000);
});

test("bytes that are not whole packets are rejected", () => {
  assert.throws(() => decodePackets(new Uint8Array(17), 0), RangeError);
  assert.throws(() => forEachRtt(new Uint8Array(15), () => assert.fail()), RangeError);
  assert.deepEqual(decodePackets(new Uint8Array(0), 0), []);
});

test("bytes within a larger buffer are read from their offset", () => {
  const packet = { sequence: 0, sentAtMs: startedAtMs, rttMs: 1.5, ttl: 64, type: 0, code: 0 };
  const larger = Buffer.concat([Buffer.alloc(3), encodePackets([packet], startedAtMs)]);
  assert.deepEqual(decodePackets(larger.subarray(3), startedAtMs), [packet]);
});
