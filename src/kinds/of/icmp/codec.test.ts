import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Outcome, toTrouble } from "../../../contract/result.ts";
import type { Run } from "../../kit/definition.ts";
import { decode, encode, figureBytes, packetBytes, readFigures } from "./codec.ts";
import {
  type IcmpMeasurement,
  isIcmpMeasurement,
  listFigures,
  type Packet,
} from "./measurement.ts";
import type { IcmpRequest } from "./request.ts";

type IcmpRun = Run<IcmpRequest, IcmpMeasurement>;

const startedAtMs = 1_700_000_000_000.25;

/** Rounded to float32, so that values survive encoding. */
const real = fc
  .float({ min: 0, max: 60_000, noNaN: true })
  .map((value) => Number((value + 0).toPrecision(6)));
/** Plain objects, as created by a parser. */
const record = <Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) =>
  fc.record<Model>(model, { noNullPrototype: true });
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const count = fc.integer({ min: 0, max: 32_767 });
const small = fc.integer({ min: 0, max: 65_535 });
const oddity = fc.oneof(fc.constant(0), small);
const byte = orNull(fc.integer({ min: 0, max: 255 }));
const address = fc.oneof(fc.ipV4(), fc.ipV6());
const statistics = record({
  packetsSent: count,
  packetsReceived: count,
  packetLossPercent: fc.integer({ min: 0, max: 100 }),
  minMs: orNull(real),
  avgMs: orNull(real),
  maxMs: orNull(real),
  stdDevMs: orNull(real),
  jitterMs: orNull(real),
  longestLossBurst: oddity,
  duplicates: oddity,
  reordered: oddity,
  lateReplies: oddity,
});
const packets = fc
  .array(
    record({
      offsetUs: orNull(fc.integer({ min: 0, max: 60_000_000 })),
      rttMs: orNull(fc.double({ min: 0, max: 3_000, noNaN: true })),
      ttl: byte,
      type: byte,
      code: byte,
    }),
    { maxLength: 50 },
  )
  .map((list) =>
    list.map(({ offsetUs, ...packet }, sequence): Packet => {
      const sentAtMs = offsetUs === null ? null : startedAtMs + offsetUs / 1_000;
      return { sequence, sentAtMs, ...packet };
    }),
  );
const measurements: fc.Arbitrary<IcmpMeasurement> = record({
  resolvedIp: address,
  dnsMs: fc.oneof(fc.constant(0), real),
  packetSizeBytes: small,
  packets,
  statistics,
});
const outcomes: fc.Arbitrary<Outcome<IcmpMeasurement>> = fc.oneof(
  record({ kind: fc.constant("measured" as const), measurement: measurements }),
  record({
    kind: fc.constant("unreachable" as const),
    trouble: record({
      kind: fc.constant("unresolved" as const),
      code: fc.string(),
      message: fc.string(),
      resolvedIp: orNull(address),
      dnsMs: orNull(real),
    }),
  }),
  record({ kind: fc.constant("no-answer" as const), message: fc.string() }),
);
const requests = record({
  hostname: fc.oneof(fc.domain(), address),
  ipFamily: fc.constantFrom("IPv4" as const, "IPv6" as const),
  pingCount: fc.integer({ min: 1, max: 50 }),
});

function store(run: IcmpRun): IcmpRun {
  return decode(encode(run), { startedAtMs, trouble: toTrouble(run.outcome) });
}

test("a run survives encoding, with figures rounded to float32", () => {
  fc.assert(
    fc.property(requests, outcomes, fc.boolean(), (request, outcome, isNamedByAddress) => {
      const resolved = outcome.kind === "measured" ? outcome.measurement.resolvedIp : null;
      const hostname = isNamedByAddress ? (resolved ?? request.hostname) : request.hostname;
      const run: IcmpRun = { request: { ...request, hostname }, startedAtMs, outcome };
      assert.deepEqual(store(run), run);
    }),
  );
});

const onePing: IcmpMeasurement = {
  resolvedIp: "192.0.2.1",
  dnsMs: 0,
  packetSizeBytes: 64,
  packets: [{ sequence: 0, sentAtMs: startedAtMs, rttMs: 0.3, ttl: 64, type: 0, code: 0 }],
  statistics: {
    packetsSent: 1,
    packetsReceived: 1,
    packetLossPercent: 0,
    minMs: 0.3,
    avgMs: 0.3,
    maxMs: 0.3,
    stdDevMs: 0,
    jitterMs: null,
    longestLossBurst: 0,
    duplicates: 0,
    reordered: 0,
    lateReplies: 0,
  },
};

test("a run with one packet to an address is encoded compactly", () => {
  const request: IcmpRequest = { hostname: "192.0.2.1", ipFamily: "IPv4", pingCount: 1 };
  const run: IcmpRun = {
    request,
    startedAtMs,
    outcome: { kind: "measured", measurement: onePing },
  };
  assert.equal(encode(run).length, 1 + packetBytes + 9);
  assert.deepEqual(store(run), run);
});

test("any measurement of a probe can be stored", () => {
  const request = { hostname: "é".repeat(1_000), ipFamily: "carrier pigeon", pingCount: 1e9 };
  const outcome = { kind: "no-answer", message: "" } as const;
  const decoded = store({ request: request as unknown as IcmpRequest, startedAtMs, outcome });
  const { hostname, ipFamily, pingCount } = decoded.request;
  assert.deepEqual([hostname, ipFamily, pingCount], ["é".repeat(127), "IPv4", 255]);
  const manyPackets = { ...onePing, packets: new Array(1_000).fill(onePing.packets[0]) };
  const statistics = { ...onePing.statistics, packetsSent: 1e9, duplicates: Number.NaN };
  const measurement = { ...manyPackets, statistics };
  const wild = store({ ...decoded, outcome: { kind: "measured", measurement } });
  assert.ok(wild.outcome.kind === "measured");
  assert.equal(wild.outcome.measurement.packets.length, 255);
  assert.equal(wild.outcome.measurement.statistics.packetsSent, 32_767);
});

/** Collects the figures that statistics read from one encoded run. */
function gather(detail: Uint8Array, from: number, to: number) {
  const found = { samples: [] as number[], counters: [0, 0], parts: new Array(5).fill(null) };
  readFigures(new DataView(detail.buffer, detail.byteOffset), from, to, {
    counter: (place, value) => {
      found.counters[place] = value;
    },
    part: (place, value) => {
      found.parts[place] = value;
    },
    sample: (value) => found.samples.push(value),
  });
  return found;
}

test("encoded figures are those of the measurement", () => {
  fc.assert(
    fc.property(requests, measurements, (request, measurement) => {
      const detail = encode({
        request,
        startedAtMs,
        outcome: { kind: "measured", measurement },
      });
      const among = Buffer.concat([Buffer.from([7, 7, 7]), detail, Buffer.alloc(40, 255)]);
      const { responseMs: _own, ...figures } = listFigures(measurement);
      const parts = figures.parts.map((part) => (part === null ? null : Math.fround(part)));
      assert.deepEqual(gather(among, 3, 3 + detail.length), { ...figures, parts });
      const head = detail.subarray(0, figureBytes);
      const cut = gather(head, 0, head.length);
      assert.deepEqual(cut, { ...figures, parts, samples: [] }, "the head has all but samples");
    }),
  );
});

test("figures of a run with one reply are derived from its packet", () => {
  const request: IcmpRequest = { hostname: "192.0.2.1", ipFamily: "IPv4", pingCount: 1 };
  const outcome = { kind: "measured", measurement: onePing } as const;
  const detail = encode({ request, startedAtMs, outcome });
  const short = Math.fround(0.3);
  const figures = { counters: [1, 1], parts: [0, short, short, short, 0] };
  assert.deepEqual(gather(detail, 0, detail.length), { ...figures, samples: [0.3] });
  assert.deepEqual(gather(detail, 0, figureBytes), { ...figures, samples: [] });
});

test("a run that measured nothing has no figures", () => {
  const request: IcmpRequest = { hostname: "host.example", ipFamily: "IPv4", pingCount: 1 };
  const outcome = { kind: "no-answer", message: "" } as const;
  const detail = encode({ request, startedAtMs, outcome });
  const nothing = { samples: [], counters: [0, 0], parts: new Array(5).fill(null) };
  assert.deepEqual(gather(detail, 0, detail.length), nothing);
});

test("invalid measurements are rejected", () => {
  assert.ok(isIcmpMeasurement(onePing));
  fc.assert(fc.property(measurements, (measurement) => isIcmpMeasurement(measurement)));
  for (const wrong of [
    null,
    {},
    { ...onePing, packets: "many" },
    { ...onePing, statistics: { ...onePing.statistics, avgMs: "fast" } },
    { ...onePing, statistics: { ...onePing.statistics, packetLossPercent: 101 } },
    { ...onePing, packets: [{ ...onePing.packets[0], ttl: 256 }] },
  ]) {
    assert.ok(!isIcmpMeasurement(wrong), JSON.stringify(wrong));
  }
});
