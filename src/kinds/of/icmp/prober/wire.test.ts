import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../../../test/support/properties.ts";
import { copyPackets, OrderList, ResultList, readOrders, readResults } from "./wire.ts";

const word = fc.nat({ max: 0xffff_ffff });
const byte = fc.nat({ max: 255 });

test("orders survive the transfer to the worker", () => {
  const order = fc.record({
    requestId: word,
    family: fc.constantFrom(0, 1),
    packetCount: fc.integer({ min: 1, max: 64 }),
    spacingMs: fc.nat({ max: 60_000_000 }).map((microseconds) => microseconds / 1000),
    timeoutMs: fc.nat({ max: 60_000_000 }).map((microseconds) => microseconds / 1000),
    payloadBytes: fc.nat({ max: 65_507 }),
    address: fc.tuple(word, word, word, word).map((words) => Uint32Array.from(words)),
  });
  fc.assert(
    fc.property(fc.array(order, { maxLength: 200 }), (orders) => {
      const list = new OrderList();
      for (const item of orders) list.add(item);
      const seen: unknown[] = [];
      readOrders(list.take(), (item) => seen.push({ ...item, address: item.address.slice() }));
      assert.deepEqual(
        seen,
        orders.map((item) => ({ ...item })),
      );
      assert.equal(list.count, 0);
    }),
  );
});

test("results survive the transfer to the main thread", () => {
  const packet = fc.record({
    sentAt: fc.double({ min: 0, max: 4e12, noNaN: true }),
    rttMs: fc.option(fc.double({ min: 0, max: 60_000, noNaN: true }), { nil: null }),
    status: fc.nat({ max: 4 }),
    ttl: byte,
    type: byte,
    code: byte,
    errno: byte,
    duplicates: byte,
    late: fc.boolean(),
    transmitStamped: fc.boolean(),
    receiveStamped: fc.boolean(),
  });
  const result = fc.record({
    requestId: word,
    outcome: fc.nat({ max: 3 }),
    repeats: fc.nat({ max: 2 }),
    packets: fc.array(packet, { maxLength: 64 }),
  });
  fc.assert(
    fc.property(fc.array(result, { maxLength: 150 }), (results) => {
      const list = new ResultList();
      for (const { requestId, outcome, repeats, packets } of results) {
        list.beginRun(requestId, outcome, repeats, packets.length);
        for (const item of packets) list.addPacket(item);
      }
      const seen: unknown[] = [];
      readResults(list.take(), (item) => {
        const { requestId, outcome, repeats } = item;
        seen.push({ requestId, outcome, repeats, packets: copyPackets(item) });
      });
      assert.equal(JSON.stringify(seen), JSON.stringify(results));
      assert.ok(list.isEmpty);
    }),
    { numRuns: propertyRuns / 2 },
  );
});
