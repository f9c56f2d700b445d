import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Outcome, toTrouble } from "../../../contract/result.ts";
import { formatIpBytes } from "../../../platform/net/host.ts";
import type { Run } from "../../kit/definition.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import {
  type Hop,
  isTracerouteMeasurement,
  listFigures,
  maxAddresses,
  maxHops,
  maxLabels,
  probesPerHop,
  protocols,
  socketModes,
  type TracerouteMeasurement,
  traceEnds,
} from "./measurement.ts";
import type { TracerouteRequest } from "./request.ts";

const startedAtMs = 1_700_000_000_000;

/** Rounded to float32, so that values survive encoding. */
const real = fc
  .float({ min: 0, max: 60_000, noNaN: true })
  .map((value) => Number((value + 0).toPrecision(6)));
/** Plain objects, as created by a parser. */
const record = <Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) =>
  fc.record<Model>(model, { noNullPrototype: true });
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const count = (max: number) => fc.integer({ min: 0, max });
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
/** Also a mask in place of an address that is secret. */
const address = fc.oneof(
  bytes(4).map(formatIpBytes),
  bytes(16).map(formatIpBytes),
  fc.constant("••••"),
);

const hops: fc.Arbitrary<Hop> = record({
  sent: count(probesPerHop),
  rttsMs: fc.array(real, { maxLength: probesPerHop }),
  addresses: fc.array(record({ address, name: orNull(fc.domain().map((d) => d.slice(0, 80))) }), {
    maxLength: maxAddresses,
  }),
  error: orNull(record({ type: count(255), code: count(255), mtu: orNull(count(0xffff)) })),
  labels: fc.array(record({ label: count(0xf_ffff), trafficClass: count(7), ttl: count(255) }), {
    maxLength: maxLabels,
  }),
});
const measurements: fc.Arbitrary<TracerouteMeasurement> = record({
  resolvedIp: address,
  dnsMs: real,
  mode: fc.constantFrom(...socketModes),
  end: fc.constantFrom(...traceEnds),
  hops: fc.array(hops, { maxLength: 12 }),
  ignoredPackets: count(0xffff_ffff),
});
const substituted = fc
  .tuple(measurements, fc.constantFrom(...protocols))
  .map(([measurement, substitute]) => ({ ...measurement, substitute }));
const outcomes: fc.Arbitrary<Outcome<TracerouteMeasurement>> = fc.oneof(
  record({
    kind: fc.constant("measured" as const),
    measurement: fc.oneof(measurements, substituted),
  }),
  record({
    kind: fc.constant("unreachable" as const),
    trouble: record({
      kind: fc.constantFrom("unresolved", "denied", "unreachable", "unsendable"),
      code: fc.string(),
      message: fc.string(),
    }),
  }),
);
const requests: fc.Arbitrary<TracerouteRequest> = record({
  hostname: fc.oneof(fc.domain(), fc.ipV6()),
  protocol: fc.constantFrom("TCP" as const, "UDP" as const, "ICMP" as const),
  port: orNull(fc.integer({ min: 1, max: 65_535 })),
  ipFamily: fc.constantFrom("IPv4" as const, "IPv6" as const),
  maxHops: fc.integer({ min: 1, max: 64 }),
  maxUnknownHops: fc.integer({ min: 1, max: 30 }),
  ptrLookup: fc.boolean(),
  packetSize: orNull(fc.integer({ min: 64, max: 9_000 })),
  timeoutMs: fc.integer({ min: 1_000, max: 30_000 }),
});

const store = (run: Run<TracerouteRequest, TracerouteMeasurement>) =>
  decode(encode(run), { startedAtMs, trouble: toTrouble(run.outcome) });

test("a run is the same after it was stored", () => {
  fc.assert(
    fc.property(requests, outcomes, (request, outcome) => {
      const run = { request, startedAtMs, outcome };
      assert.deepEqual(store(run), run);
      if (outcome.kind === "measured") assert.ok(isTracerouteMeasurement(outcome.measurement));
    }),
  );
});

test("the figures of a stored run are those of its measurement", () => {
  fc.assert(
    fc.property(requests, measurements, (request, measurement) => {
      const detail = encode({ request, startedAtMs, outcome: { kind: "measured", measurement } });
      const cut = new DataView(detail.buffer, detail.byteOffset, figureBytes);
      const parts: (number | null)[] = [null, null, null, null, null];
      const samples: number[] = [];
      readFigures(cut, 0, figureBytes, {
        counter: () => assert.fail("there are no counters"),
        part: (place, value) => {
          parts[place] = value;
        },
        sample: (value) => samples.push(value),
      });
      const figures = listFigures(measurement);
      const near = (one: number | null, other: number | null) =>
        one === other || Math.abs((one ?? 0) - (other ?? 0)) <= 1e-6 * Math.abs(other ?? 0) + 1e-9;
      assert.ok(figures.parts.every((value, place) => near(parts[place] ?? null, value)));
      assert.ok(near(samples[0] ?? null, figures.responseMs));
    }),
  );
});

const hop: Hop = {
  sent: 3,
  rttsMs: [1, 2, 3],
  addresses: [{ address: "192.0.2.1", name: "router-1.example.net" }],
  error: null,
  labels: [],
};
const request: TracerouteRequest = {
  hostname: "www.example.com",
  protocol: "TCP",
  port: 443,
  ipFamily: "IPv4",
  maxHops: 64,
  maxUnknownHops: 30,
  ptrLookup: true,
  packetSize: null,
  timeoutMs: 10_000,
};

function measure(list: readonly Hop[]): Outcome<TracerouteMeasurement> {
  const found = { resolvedIp: "192.0.2.80", dnsMs: 1, mode: "raw", ignoredPackets: 0 } as const;
  return { kind: "measured", measurement: { ...found, end: "destinationReached", hops: list } };
}

test("a path of twelve hops takes less than 600 bytes, and the longest fits", () => {
  const usual = Array.from({ length: 12 }, () => hop);
  const size = encode({ request, startedAtMs, outcome: measure(usual) }).length;
  assert.ok(size < 600, `${size} bytes`);
  const names = Array.from({ length: maxAddresses }, () => ({
    address: "ä".repeat(64),
    name: "ü".repeat(100),
  }));
  const labels = Array.from({ length: maxLabels }, () => ({ label: 1, trafficClass: 1, ttl: 1 }));
  const error = { type: 3, code: 4, mtu: 1_400 };
  const long = Array.from({ length: maxHops }, () => ({ ...hop, addresses: names, labels, error }));
  assert.deepEqual(store({ request, startedAtMs, outcome: measure(long) }).outcome, measure(long));
});

test("a measurement beyond its bounds is rejected", () => {
  const { measurement } = measure([hop]) as { measurement: TracerouteMeasurement };
  assert.ok(isTracerouteMeasurement(measurement));
  const rejected: readonly object[] = [
    { ...measurement, hops: Array.from({ length: maxHops + 1 }, () => hop) },
    { ...measurement, hops: [{ ...hop, rttsMs: [1, 2, 3, 4] }] },
    { ...measurement, hops: [{ ...hop, rttsMs: [-1] }] },
    { ...measurement, end: "unknown" },
    { ...measurement, ignoredPackets: -1 },
  ];
  for (const value of rejected) assert.ok(!isTracerouteMeasurement(value), JSON.stringify(value));
});
