import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { after, test } from "node:test";
import { parseIpv4 } from "../../../../platform/net/host.ts";
import { IPPROTO_ICMP, SOCK_RAW } from "../../../wire/kernel/kernel-layout.ts";
import {
  maxBatches,
  packetsPerBatch,
  type Received,
  SocketCalls,
} from "../../../wire/kernel/socket-calls.ts";
import { maxAddresses, probesPerHop } from "../measurement.ts";
import type { Flow } from "./packet.ts";
import type { TraceLimits } from "./trace.ts";
import { floodPackets, TraceLoop } from "./trace-loop.ts";
import { openTraceSockets, type TraceSockets } from "./trace-sockets.ts";

const calls = new SocketCalls();
const forger = calls.open("IPv4", SOCK_RAW, IPPROTO_ICMP);
after(() => {
  if (forger >= 0) calls.close(forger);
});
const skip = forger < 0 && "NOT TESTED: forged packets need raw sockets";

function openSockets(target: string, port: number): TraceSockets {
  const address = parseIpv4(target);
  assert.ok(address);
  const flow = { family: "IPv4", protocol: "UDP", target: address, targetPort: port } as const;
  const opened = openTraceSockets(calls, { ...flow, random: randomBytes });
  assert.ok("sockets" in opened, JSON.stringify(opened));
  return opened.sockets;
}

const short = (value: number) => [value >>> 8, value & 0xff];

/** An ICMP error that quotes a UDP packet of the flow with this payload. */
function forge(flow: Flow, payload: Uint8Array): Uint8Array {
  const udp = [flow.sourcePort, flow.targetPort, payload.length + 8, 0].flatMap(short);
  const ip = [0x45, 0, 0, 0, 0, 0, 0, 0, 1, 17, 0, 0, ...flow.source, ...flow.target];
  return Uint8Array.of(11, 0, 0, 0, 0, 0, 0, 0, ...ip, ...udp, ...payload);
}

function sendFrom(source: string, flow: Flow, packet: Uint8Array): void {
  const address = parseIpv4(source);
  assert.ok(address);
  assert.equal(calls.bind(forger, { address, port: 0 }), 0);
  assert.equal(calls.send(forger, { address: flow.source, port: 0 }, 64, packet), 0);
}

test("forged errors are ignored and counted, whatever they have right", { skip }, async (t) => {
  const server = createSocket("udp4").bind(0, "127.9.9.9");
  await once(server, "listening");
  t.after(() => server.close());
  const sockets = openSockets("127.9.9.9", server.address().port);
  assert.equal(sockets.mode, "raw");
  const { flow } = sockets;
  let probeCount = 0;
  // The target does not respond, but it reveals each probe to the forger.
  server.on("message", (payload) => {
    probeCount += 1;
    const wrongCookie = Uint8Array.from(payload);
    wrongCookie[4] = (payload[4] ?? 0) ^ 1;
    const wrongToken = Uint8Array.from(payload);
    wrongToken[10] = (payload[10] ?? 0) ^ 0x40;
    const otherTarget = { ...flow, target: Uint8Array.of(127, 1, 1, 1) };
    sendFrom("127.6.6.6", flow, forge(otherTarget, payload));
    sendFrom("127.6.6.6", flow, forge(flow, wrongCookie));
    sendFrom("127.6.6.6", flow, forge(flow, wrongToken));
    // Only this one quotes the probe as it was sent.
    sendFrom("127.5.5.5", flow, forge(flow, payload));
  });
  const result = await new TraceLoop(calls).run({
    sockets,
    maxHops: 2,
    maxUnknownHops: 2,
    timeoutMs: 20_000,
    packetSize: 0,
  });
  assert.equal(probeCount, 6);
  const { ignoredPackets } = result;
  assert.ok(ignoredPackets > 0 && ignoredPackets <= 3 * probeCount, String(ignoredPackets));
  const addresses = result.hops.map((hop) => hop.addresses.map(({ address }) => address));
  assert.deepEqual(addresses, [["127.5.5.5"], ["127.5.5.5"]]);
  assert.ok(result.hops.every(({ sent, rttsMs }) => sent === 3 && rttsMs.length === 3));
});

/** Counts what a trace reads. */
class CountingCalls extends SocketCalls {
  packets = 0;
  /** Largest number of packets in one call after the trace knew that it is flooded. */
  mostWhenFlooded = 0;

  override receive(fd: number, isErrorQueue: boolean, batches?: number): Received[] {
    const received = super.receive(fd, isErrorQueue, batches);
    assert.ok(received.length <= maxBatches * packetsPerBatch);
    if (this.packets > floodPackets) {
      this.mostWhenFlooded = Math.max(this.mostWhenFlooded, received.length);
    }
    this.packets += received.length;
    return received;
  }
}

/** The forger learns each probe from the target and responds to it with a number of packets. */
async function traceAgainst(
  onProbe: (flow: Flow, payload: Uint8Array, probe: number) => void,
  { maxHops, timeoutMs }: Pick<TraceLimits, "maxHops" | "timeoutMs">,
) {
  const server = createSocket("udp4").bind(0, "127.9.9.7");
  await once(server, "listening");
  const sockets = openSockets("127.9.9.7", server.address().port);
  let probes = 0;
  server.on("message", (payload) => {
    probes += 1;
    onProbe(sockets.flow, payload, probes);
  });
  const counting = new CountingCalls();
  const limits = { maxHops, maxUnknownHops: 2, timeoutMs, packetSize: 0 };
  const result = await new TraceLoop(counting).run({ sockets, ...limits });
  server.close();
  const addresses = result.hops.flatMap((hop) => hop.addresses.map(({ address }) => address));
  return { result, addresses, counting, probes: () => probes };
}

test("a flood of forged errors adds no hop and is read at a bounded rate", { skip }, async () => {
  const burst = 200;
  let isOver = false;
  const flood = (flow: Flow, payload: Uint8Array) => {
    const forged = Uint8Array.from(payload);
    for (let count = 0; count < burst; count += 1) {
      // The numbers of probes, but never the random bytes.
      forged.set([count >>> 8, count & 0xff], 10);
      forged[4] = (payload[4] ?? 0) ^ 0xff;
      sendFrom("127.6.6.6", flow, forge(flow, forged));
    }
    if (!isOver) setImmediate(flood, flow, payload);
  };
  const limits = { maxHops: 2, timeoutMs: 1_000 };
  const { result, addresses, counting } = await traceAgainst((flow, payload, probe) => {
    if (probe === 1) flood(flow, payload);
  }, limits);
  isOver = true;
  assert.deepEqual([addresses, result.end], [[], "maxHops"]);
  assert.ok(result.ignoredPackets > floodPackets, String(result.ignoredPackets));
  assert.ok(counting.mostWhenFlooded > 0 && counting.mostWhenFlooded <= packetsPerBatch);
});

test("10,000 hops of junk are a path of the maximum length", { skip }, async () => {
  const maxHops = 64;
  let sent = 0;
  const { result, addresses, probes } = await traceAgainst(
    (flow, payload) => {
      // A router on the path can quote what it likes, from any address.
      for (let count = 0; count < 52; count += 1) {
        sent += 1;
        sendFrom(`127.${(sent >>> 8) + 10}.${sent & 0xff}.1`, flow, forge(flow, payload));
      }
    },
    { maxHops, timeoutMs: 20_000 },
  );
  assert.ok(sent >= 9_000, String(sent));
  assert.deepEqual([result.hops.length, result.end], [maxHops, "maxHops"]);
  assert.ok(probes() <= maxHops * probesPerHop, String(probes()));
  assert.ok(addresses.length <= maxHops * maxAddresses, String(addresses.length));
  assert.ok(result.hops.every(({ rttsMs }) => rttsMs.length <= probesPerHop));
});

test("a target that responds to datagrams is reached", async (t) => {
  const server = createSocket("udp4").bind(0, "127.9.9.8");
  await once(server, "listening");
  t.after(() => server.close());
  server.on("message", (_payload, { port, address }) => server.send("hello", port, address));
  const sockets = openSockets("127.9.9.8", server.address().port);
  const limits = { maxHops: 5, maxUnknownHops: 5, timeoutMs: 20_000, packetSize: 0 };
  const result = await new TraceLoop(calls).run({ sockets, ...limits });
  assert.equal(result.end, "destinationReached");
  assert.deepEqual(
    result.hops.map(({ addresses }) => addresses[0]?.address),
    ["127.9.9.8"],
  );
});
