import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createCounters } from "./counters.ts";
import { ControlReader, createArrival, Matcher, NO_STAMP, NOTHING_CHANGED } from "./matcher.ts";
import {
  ANSWERED,
  FAILED,
  FAMILY_V4,
  FAMILY_V6,
  type RunOrder,
  SENT,
  Slots,
  WAITING,
} from "./slots.ts";

type Message = readonly [level: number, type: number, ...data: number[]];

/** Lays messages out like the kernel on 64-bit systems. */
function build(...messages: readonly Message[]): Uint32Array {
  const words: number[] = [];
  for (const [level, type, ...data] of messages) {
    words.push(16 + data.length * 4, 0, level, type, ...data);
    if (words.length % 2 === 1) words.push(0);
  }
  return Uint32Array.from(words);
}

test("timestamp, hop limit and extended error are read from one buffer in any order", () => {
  const stamp: Message = [1, 37, 1_000_005, 0, 250, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const ttl: Message = [0, 2, 61];
  const error: Message = [0, 11, 113, 2 | (3 << 8) | (1 << 16), 0, 0];
  fc.assert(
    fc.property(fc.shuffledSubarray([stamp, ttl, error], { minLength: 3 }), (messages) => {
      const words = build(...messages);
      const reader = new ControlReader(1_000_000);
      reader.read(words, 0, words.byteLength);
      assert.equal(reader.stampNs, 5_000_000_250);
      assert.equal(reader.ttl, 61);
      assert.deepEqual(
        [reader.errno, reader.errorOrigin, reader.errorType, reader.errorCode],
        [113, 2, 3, 1],
      );
    }),
  );
});

test("a packet without control messages does not keep values of the previous packet", () => {
  const words = build([1, 37, 1_000_005, 0, 250, 0], [41, 52, 60]);
  const reader = new ControlReader(1_000_000);
  reader.read(words, 0, words.byteLength);
  assert.equal(reader.ttl, 60);
  reader.read(words, 0, 0);
  assert.deepEqual([reader.stampNs, reader.ttl, reader.errorOrigin], [NO_STAMP, 0, 0]);
});

test("malformed control bytes never make the reader fail or hang", () => {
  fc.assert(
    fc.property(fc.uint32Array({ maxLength: 64 }), fc.nat({ max: 256 }), (words, length) => {
      new ControlReader(0).read(words, 0, length);
    }),
  );
});

const TARGET = Uint32Array.of(0x0100_007f, 0, 0, 0);
const STRANGER = Uint32Array.of(0x0200_007f, 0, 0, 0);

function setUp(overrides: Partial<RunOrder> = {}) {
  const slots = new Slots({ smallRuns: 4, largeRuns: 2 });
  const counters = createCounters();
  const matcher = new Matcher(slots, counters);
  const order = { requestId: 7, family: FAMILY_V4, packetCount: 3, spacingMs: 1, timeoutMs: 100 };
  const slot = slots.open({ ...order, payloadBytes: 56, address: TARGET, ...overrides });
  const first = slots.firstPacket(slot);
  slots.status.fill(SENT, first, first + 3);
  slots.state[slot] = WAITING;
  const arrive = (index: number, source = TARGET) => {
    const arrival = createArrival();
    arrival.source.set(source);
    arrival.packetId = first + index;
    arrival.generation = slots.generation[slot] ?? 0;
    arrival.stampNs = 5000;
    return arrival;
  };
  return { slots, counters, matcher, slot, first, arrive };
}

test("a reply from the target answers its packet once", () => {
  const { slots, counters, matcher, slot, first, arrive } = setUp();
  assert.equal(matcher.acceptReply(arrive(1)), slot);
  assert.equal(slots.status[first + 1], ANSWERED);
  assert.equal(matcher.acceptReply(arrive(1)), NOTHING_CHANGED);
  assert.equal(counters.duplicate, 1);
  assert.equal(slots.duplicates[first + 1], 1);
  assert.equal(slots.answeredCount[slot], 1);
});

test("a reply from another address is ignored", () => {
  const { slots, counters, matcher, first, arrive } = setUp();
  assert.equal(matcher.acceptReply(arrive(0, STRANGER)), NOTHING_CHANGED);
  assert.equal(counters.wrongSource, 1);
  assert.equal(slots.status[first], SENT);
});

test("all four words of an IPv6 source are compared", () => {
  const address = Uint32Array.of(1, 2, 3, 4);
  const { matcher, slot, counters, arrive } = setUp({ family: FAMILY_V6, address });
  for (const word of [0, 1, 2, 3]) {
    const forged = address.slice();
    forged[word] = 99;
    assert.equal(matcher.acceptReply(arrive(0, forged)), NOTHING_CHANGED);
  }
  assert.equal(counters.wrongSource, 4);
  assert.equal(matcher.acceptReply(arrive(0, address)), slot);
});

test("a reply to an earlier run in the same slot is late and not credited", () => {
  const { slots, counters, matcher, slot, first, arrive } = setUp();
  const old = arrive(0);
  slots.restart(slot);
  slots.status.fill(SENT, first, first + 3);
  assert.equal(matcher.acceptReply(old), NOTHING_CHANGED);
  assert.equal(counters.late, 1);
  assert.equal(slots.answeredCount[slot], 0);
});

test("a reply after the run was closed is late", () => {
  const { slots, counters, matcher, slot, arrive } = setUp();
  slots.release(slot);
  assert.equal(matcher.acceptReply(arrive(0)), NOTHING_CHANGED);
  assert.equal(counters.late, 1);
});

test("a reply to a packet that was never sent is foreign", () => {
  const { counters, matcher, arrive } = setUp();
  assert.equal(matcher.acceptReply(arrive(9)), NOTHING_CHANGED);
  assert.equal(counters.foreign, 1);
});

test("an error ends its packet, and a later reply overrides it", () => {
  const { slots, matcher, slot, first, arrive } = setUp();
  assert.equal(matcher.acceptError(arrive(0), 113), slot);
  assert.equal(slots.status[first], FAILED);
  assert.equal(matcher.acceptError(arrive(0), 113), NOTHING_CHANGED);
  assert.equal(matcher.acceptReply(arrive(0)), slot);
  assert.deepEqual([slots.answeredCount[slot], slots.failedCount[slot]], [1, 0]);
});

test("a run is settled when every packet is answered or failed", () => {
  const { matcher, slot, arrive } = setUp();
  matcher.acceptReply(arrive(0));
  matcher.acceptError(arrive(1), 113);
  assert.equal(matcher.isSettled(slot), false);
  matcher.acceptReply(arrive(2));
  assert.equal(matcher.isSettled(slot), true);
});

test("only the first transmit timestamp of a packet counts", () => {
  const { slots, matcher, slot, first, arrive } = setUp();
  assert.equal(matcher.acceptTransmitStamp(arrive(2)), slot);
  const second = arrive(2);
  second.stampNs = 9999;
  assert.equal(matcher.acceptTransmitStamp(second), NOTHING_CHANGED);
  assert.equal(slots.transmitStampNs[first + 2], 5000);
});

test("forged packet ids and generations cannot corrupt the counts", () => {
  const word = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 0xffff_ffff }));
  fc.assert(
    fc.property(fc.array(fc.record({ packetId: word, generation: word })), (forgeries) => {
      const { slots, matcher, slot, arrive } = setUp();
      for (const forgery of forgeries) {
        matcher.acceptReply({ ...arrive(0), ...forgery });
        matcher.acceptError({ ...arrive(0), ...forgery }, 1);
        matcher.acceptTransmitStamp({ ...arrive(0), ...forgery });
      }
      const ended = (slots.answeredCount[slot] ?? 0) + (slots.failedCount[slot] ?? 0);
      assert.ok(ended <= 3);
    }),
  );
});
