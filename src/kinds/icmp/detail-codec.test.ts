import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Outcome } from "../../contract/result.ts";
import { type Detailed, decodeDetail, encodeDetail } from "./detail-codec.ts";

const times = { startedAtMs: 1_700_000_000_000.25, stoppedAtMs: 1_700_000_001_000.75 };

const real = fc.float({ min: 0, max: 60_000, noNaN: true }).map((value) => value + 0);
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const small = fc.integer({ min: 0, max: 65_535 });
const address = fc.oneof(fc.ipV4(), fc.ipV6());
const statistics = fc.record({
  packetsSent: small,
  packetsReceived: small,
  packetLossPercent: real,
  minMs: orNull(real),
  avgMs: orNull(real),
  maxMs: orNull(real),
  stdDevMs: orNull(real),
  jitterMs: orNull(real),
  longestLossBurst: fc.oneof(fc.constant(0), small),
  duplicates: fc.oneof(fc.constant(0), small),
  reordered: fc.oneof(fc.constant(0), small),
  lateReplies: fc.oneof(fc.constant(0), small),
});
const outcomes: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({
    kind: fc.constant("measured" as const),
    resolvedIp: address,
    dnsMs: fc.oneof(fc.constant(0), real),
    packetSizeBytes: small,
    packets: fc.constant([]),
    statistics,
  }),
  fc.record({
    kind: fc.constant("unresolved" as const),
    code: fc.string(),
    message: fc.string(),
    resolvedIp: orNull(address),
    dnsMs: orNull(real),
  }),
  fc.record({ kind: fc.constant("no-answer" as const), message: fc.string() }),
);
const requests = fc.record({
  hostname: fc.oneof(fc.domain(), address),
  ipFamily: fc.constantFrom("IPv4", "IPv6"),
  pingCount: fc.integer({ min: 1, max: 50 }),
});

/** What the columns of a result said, in the words of the table. */
function describe({ request, outcome }: Detailed) {
  const measured = outcome.kind === "measured" ? outcome : null;
  return {
    durationMs: 1_000.5,
    hostname: request.hostname,
    ip_family: request.ipFamily,
    ping_count: request.pingCount,
    resolved_ip: "resolvedIp" in outcome ? outcome.resolvedIp : null,
    dns_ms: "dnsMs" in outcome ? outcome.dnsMs : null,
    packet_size: measured?.packetSizeBytes ?? null,
    jitter_ms: measured?.statistics.jitterMs ?? null,
    loss_burst: measured?.statistics.longestLossBurst ?? null,
    duplicates: measured?.statistics.duplicates ?? null,
    reordered: measured?.statistics.reordered ?? null,
    late_replies: measured?.statistics.lateReplies ?? null,
  };
}

const round = (value: number | null) => (value === null ? null : Math.fround(value));

test("the detail of a result comes back as it went, times to four bytes", () => {
  fc.assert(
    fc.property(requests, outcomes, fc.boolean(), (request, outcome, isNamedByAddress) => {
      const resolved = "resolvedIp" in outcome ? outcome.resolvedIp : null;
      const hostname = isNamedByAddress ? (resolved ?? request.hostname) : request.hostname;
      const result = { request: { ...request, hostname }, outcome, ...times };
      const decoded = decodeDetail(encodeDetail(result));
      const { dns_ms, jitter_ms } = decoded;
      const blurred = { ...decoded, dns_ms: round(dns_ms), jitter_ms: round(jitter_ms) };
      const wanted = describe(result);
      const rounded = { dns_ms: round(wanted.dns_ms), jitter_ms: round(wanted.jitter_ms) };
      assert.deepEqual(blurred, { ...wanted, ...rounded });
    }),
  );
});

test("one ping of an address takes few bytes", () => {
  const request = { hostname: "192.0.2.1", ipFamily: "IPv4", pingCount: 1 };
  const none = { longestLossBurst: 0, duplicates: 0, reordered: 0, lateReplies: 0 };
  const trips = { minMs: 1, avgMs: 1, maxMs: 1, stdDevMs: 0, jitterMs: null };
  const counts = { packetsSent: 1, packetsReceived: 1, packetLossPercent: 0 };
  const outcome: Outcome = {
    kind: "measured",
    resolvedIp: "192.0.2.1",
    dnsMs: 0,
    packetSizeBytes: 64,
    packets: [],
    statistics: { ...counts, ...trips, ...none },
  };
  assert.equal(encodeDetail({ request, outcome, ...times }).length, 13);
});

test("times are read as the shortest number that means them", () => {
  const request = { hostname: "example.com", ipFamily: "IPv4", pingCount: 1 };
  const trouble = { code: "ENOTFOUND", message: "no such name", resolvedIp: null };
  const outcome: Outcome = { kind: "unresolved", ...trouble, dnsMs: 0.3 };
  assert.equal(decodeDetail(encodeDetail({ request, outcome, ...times })).dns_ms, 0.3);
});

test("whatever a probe says can be stored", () => {
  const request = { hostname: "é".repeat(1_000), ipFamily: "carrier pigeon", pingCount: 1e9 };
  const outcome: Outcome = { kind: "no-answer", message: "" };
  const decoded = decodeDetail(encodeDetail({ request, outcome, ...times }));
  assert.equal(decoded.hostname, "é".repeat(127));
  assert.equal(decoded.ip_family, "IPv4");
  assert.equal(decoded.ping_count, 255);
});
