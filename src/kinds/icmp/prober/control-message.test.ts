import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ControlReader, NO_STAMP } from "./control-message.ts";

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
