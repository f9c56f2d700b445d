import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { IpFamily } from "../../../../platform/net/host.ts";
import { parseIpv4, parseIpv6 } from "../../../../platform/net/host.ts";
import {
  buildProbe,
  type Flow,
  numberOf,
  type Protocol,
  readExtensions,
  readIcmp,
  readSegment,
  smallestSize,
} from "./packet.ts";

const protocols: readonly Protocol[] = ["ICMP", "UDP", "TCP"];
const families: readonly IpFamily[] = ["IPv4", "IPv6"];
const addresses = {
  IPv4: [parseIpv4("192.0.2.1"), parseIpv4("198.51.100.7")],
  IPv6: [parseIpv6("2001:db8::1"), parseIpv6("2001:db8:7::9")],
};

function createFlow(family: IpFamily, protocol: Protocol): Flow {
  const [source, target] = addresses[family];
  assert.ok(source && target);
  return {
    family,
    protocol,
    source,
    target,
    sourcePort: 0xc0de,
    targetPort: protocol === "ICMP" ? 0 : 443,
    cookie: Uint8Array.of(11, 22, 33, 44, 55, 66, 77, 88),
    sequenceBase: 0xbeef,
  };
}

const flows = families.flatMap((family) =>
  protocols.map((protocol) => createFlow(family, protocol)),
);

function sumWords(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2)
    sum += ((bytes[at] ?? 0) << 8) + (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return sum;
}

const short = (value: number) => [value >>> 8, value & 0xff];

function buildPseudoHeader(flow: Flow, length: number): number[] {
  return [...flow.source, ...flow.target, ...short(numberOf(flow)), ...short(length)];
}

/** The packet from the transport header on, as the kernel sends it. */
function buildTransport(flow: Flow, token: number, size = 0): Uint8Array {
  const sent = buildProbe(flow, token, size);
  if (flow.protocol === "TCP") return sent;
  const bytes =
    flow.protocol === "ICMP"
      ? sent
      : Uint8Array.of(
          ...[flow.sourcePort, flow.targetPort, sent.length + 8, 0].flatMap(short),
          ...sent,
        );
  if (flow.protocol === "ICMP" && flow.family === "IPv4") return bytes;
  const at = flow.protocol === "UDP" ? 6 : 2;
  bytes.fill(0, at, at + 2);
  const whole = Uint8Array.of(...buildPseudoHeader(flow, bytes.length), ...bytes);
  bytes.set(short(~sumWords(whole) & 0xffff), at);
  return bytes;
}

function buildIpHeader(flow: Flow): number[] {
  const { source, target } = flow;
  if (flow.family === "IPv6") return [0x60, 0, 0, 0, 0, 0, numberOf(flow), 1, ...source, ...target];
  return [0x45, 0, 0, 0, 0, 0, 0, 0, 1, numberOf(flow), 0, 0, ...source, ...target];
}

const exceeded = { IPv4: [11, 0], IPv6: [3, 0] };

function quote(flow: Flow, transport: Uint8Array, head: readonly number[] = exceeded[flow.family]) {
  const rest = Array.from({ length: 8 - head.length }, () => 0);
  return Uint8Array.of(...head, ...rest, ...buildIpHeader(flow), ...transport);
}

const tokens = fc.integer({ min: 1, max: 0xfffe });

test("probes differ in nothing that routers balance by", () => {
  for (const flow of flows) {
    const seen = new Set<string>();
    for (const token of [1, 2, 0x7fff, 0xfffe]) {
      const bytes = buildTransport(flow, token);
      // Ports, or type, code, checksum and identifier.
      const constant = flow.protocol === "ICMP" ? bytes.slice(0, 6) : bytes.slice(0, 4);
      seen.add(`${bytes.length} ${constant.join()}`);
    }
    assert.equal(seen.size, 1, `${flow.family} ${flow.protocol}`);
  }
});

test("the checksum of a UDP probe is its token, and that of a SYN is correct", () => {
  fc.assert(
    fc.property(tokens, fc.integer({ min: 60, max: 1_501 }), (token, size) => {
      for (const flow of flows) {
        const bytes = buildTransport(flow, token, size);
        if (flow.protocol === "UDP") assert.deepEqual([...bytes.slice(6, 8)], short(token));
        if (flow.protocol !== "TCP") continue;
        const whole = Uint8Array.of(...buildPseudoHeader(flow, bytes.length), ...bytes);
        assert.equal(sumWords(whole), 0xffff);
      }
    }),
  );
});

test("a probe has the requested size, and never less than it needs", () => {
  for (const flow of flows) {
    if (flow.protocol === "TCP") continue;
    const ip = flow.family === "IPv4" ? 20 : 40;
    assert.equal(buildTransport(flow, 7, 1_400).length, 1_400 - ip);
    assert.equal(buildTransport(flow, 7, 0).length, smallestSize(flow) - ip);
  }
});

test("an error is matched to the probe it quotes, even if it quotes eight bytes", () => {
  fc.assert(
    fc.property(tokens, (token) => {
      for (const flow of flows) {
        const transport = buildTransport(flow, token);
        for (const part of [transport, transport.slice(0, 8)]) {
          const arrival = readIcmp(flow, quote(flow, part));
          assert.deepEqual([arrival?.kind, arrival?.token], ["exceeded", token], flow.protocol);
        }
        assert.equal(readIcmp(flow, quote(flow, transport.slice(0, 7))), null);
      }
    }),
  );
});

test("an error that quotes another flow is ignored", () => {
  const other = parseIpv4("203.0.113.1") as Uint8Array;
  const other6 = parseIpv6("2001:db8:9::9") as Uint8Array;
  for (const flow of flows) {
    const stranger = flow.family === "IPv4" ? other : other6;
    const changes: Partial<Flow>[] = [
      { source: stranger },
      { target: stranger },
      { sourcePort: 1 },
      { protocol: flow.protocol === "UDP" ? "TCP" : "UDP" },
      ...(flow.protocol === "ICMP" ? [] : [{ targetPort: 80 }]),
      flow.protocol === "TCP" ? { sequenceBase: 1 } : { cookie: new Uint8Array(8) },
    ];
    for (const change of changes) {
      const foreign = { ...flow, ...change };
      const received = quote(foreign, buildTransport(foreign, 77));
      assert.equal(readIcmp(flow, received), null, `${flow.protocol} ${Object.keys(change)}`);
    }
  }
});

test("random bytes never match, whatever is in front of them", () => {
  const junk = fc.uint8Array({ maxLength: 200 });
  fc.assert(
    fc.property(junk, fc.constantFrom(...flows), fc.boolean(), (bytes, flow, hasHeader) => {
      const head = hasHeader ? [...exceeded[flow.family], 0, 0, 0, 0, 0, 0] : [];
      assert.equal(readIcmp(flow, Uint8Array.of(...head, ...bytes)), null);
      assert.equal(readSegment(flow, bytes), null);
      readExtensions(bytes);
    }),
  );
});

test("every kind of error is recognised, and a packet that is too big has the MTU", () => {
  const cases = {
    IPv4: [
      [[3, 13], "unreachable", null],
      [[3, 4, 0, 0, 0, 0, 5, 120], "too-big", 1_400],
      [[3, 4], "too-big", null],
      [[5, 0], null, null],
      [[11, 1], null, null],
    ],
    IPv6: [
      [[1, 4], "unreachable", null],
      [[2, 0, 0, 0, 0, 0, 5, 0], "too-big", 1_280],
      [[3, 1], null, null],
      [[4, 0], null, null],
    ],
  } as const;
  for (const flow of flows) {
    for (const [head, kind, mtu] of cases[flow.family]) {
      const arrival = readIcmp(flow, quote(flow, buildTransport(flow, 5), head));
      assert.deepEqual([arrival?.kind ?? null, arrival?.mtu ?? null], [kind, mtu], String(head));
    }
  }
});

test("a reply to an echo request needs the identifier and the cookie", () => {
  for (const flow of flows.filter(({ protocol }) => protocol === "ICMP")) {
    const echoed = buildTransport(flow, 300);
    echoed[0] = flow.family === "IPv4" ? 0 : 129;
    assert.deepEqual([readIcmp(flow, echoed)?.kind, readIcmp(flow, echoed)?.token], ["reply", 300]);
    assert.equal(readIcmp({ ...flow, sourcePort: 1 }, echoed), null);
    assert.equal(readIcmp({ ...flow, cookie: new Uint8Array(8) }, echoed), null);
    assert.equal(readIcmp(flow, echoed.slice(0, 12)), null);
  }
});

test("a segment must acknowledge a probe and open or reset the connection", () => {
  const flow = createFlow("IPv4", "TCP");
  const build = (flags: number, acknowledged: number) =>
    Uint8Array.of(
      ...short(flow.targetPort),
      ...short(flow.sourcePort),
      ...[0, 0, 0, 9],
      ...short(acknowledged >>> 16),
      ...short(acknowledged & 0xffff),
      ...[0x50, flags, 0, 0, 0, 0, 0, 0],
    );
  const expected = 0xbeef_0010;
  assert.equal(readSegment(flow, build(0x12, expected + 1))?.token, 0x10);
  assert.equal(readSegment(flow, build(0x14, expected + 1))?.token, 0x10);
  assert.equal(readSegment(flow, build(0x10, expected + 1)), null);
  assert.equal(readSegment(flow, build(0x04, expected + 1)), null);
  assert.equal(readSegment(flow, build(0x12, 0x1234_0011)), null);
});

test("MPLS labels are read where the message says, or after 128 bytes", () => {
  const stack = [0, 12, 1, 1, 0x05, 0xdc, 0xf1, 1, 0x00, 0x01, 0x01, 2];
  const extension = [0x20, 0, 0, 0, ...stack];
  extension.splice(2, 2, ...short(~sumWords(Uint8Array.from(extension)) & 0xffff));
  for (const flow of flows) {
    const unit = flow.family === "IPv4" ? 4 : 8;
    const lengthAt = flow.family === "IPv4" ? 5 : 4;
    for (const said of [0, 128 / unit]) {
      const message = new Uint8Array(8 + 128 + extension.length);
      message.set(quote(flow, buildTransport(flow, 9)));
      message.set(extension, 8 + 128);
      message[lengthAt] = said;
      assert.deepEqual(readIcmp(flow, message)?.labels, [
        { label: 24_015, trafficClass: 0, ttl: 1 },
        { label: 16, trafficClass: 0, ttl: 2 },
      ]);
      message[message.length - 1] = 9;
      assert.deepEqual(readIcmp(flow, message)?.labels, [], "the checksum is wrong");
    }
  }
});
