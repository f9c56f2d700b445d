import assert from "node:assert/strict";
import { test } from "node:test";
import { createCounters } from "./counters.ts";
import { DropWatch } from "./drop-watch.ts";
import { EchoWriter, PacketParser } from "./packet.ts";
import { ANSWERED, FAMILY_V4, SENT, Slots } from "./slots.ts";
import type { EchoSocket } from "./socket.ts";

const cookie = { low: 1, high: 2 };

function setUp() {
  const drops = [0, 0];
  const sockets = drops.map(
    (_, index): EchoSocket => ({
      fd: -1,
      family: "IPv4",
      kind: "raw",
      writer: new EchoWriter("IPv4", 1, cookie),
      parser: new PacketParser("IPv4", "raw", cookie),
      receiveBufferBytes: 0,
      index,
      mayFragment: true,
      dropCount: 0,
      lastDropSeenMs: Number.NEGATIVE_INFINITY,
    }),
  );
  const slots = new Slots({ smallRuns: 2, largeRuns: 0 });
  const counters = createCounters();
  const opener = { readDrops: (socket: EchoSocket) => drops[socket.index] ?? 0 };
  const watch = new DropWatch(opener, slots, counters);
  watch.useSockets(sockets);
  const order = { requestId: 1, family: FAMILY_V4, packetCount: 2, spacingMs: 1, timeoutMs: 50 };
  const slot = slots.open({ ...order, payloadBytes: 56, address: new Uint32Array(4) });
  const first = slots.firstPacket(slot);
  slots.status[first] = ANSWERED;
  slots.status[first + 1] = SENT;
  slots.socketIndex[first + 1] = 1;
  slots.sentMonotonicMs[first + 1] = 1000;
  return { drops, watch, slot, counters };
}

test("without drops a missing reply counts as network loss", () => {
  const { watch, slot } = setUp();
  assert.equal(watch.mayHaveDropped(slot, 1100), false);
});

test("a drop on the packet's own socket after sending makes the loss uncertain", () => {
  const { watch, slot, drops, counters } = setUp();
  watch.checkPeriodically(900);
  drops[1] = 3;
  assert.equal(watch.mayHaveDropped(slot, 1100), true);
  assert.equal(counters.localDrops, 3);
});

test("a drop on another socket, or seen before the packet was sent, does not", () => {
  const { watch, slot, drops } = setUp();
  drops[1] = 3;
  watch.checkPeriodically(900);
  drops[0] = 5;
  assert.equal(watch.mayHaveDropped(slot, 1100), false);
});
