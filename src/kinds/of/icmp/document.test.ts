import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../../../contract/result.ts";
import { buildResponse } from "./document.ts";
import type { IcmpMeasurement, IcmpTrouble } from "./measurement.ts";
import type { IcmpRequest } from "./request.ts";

const request: IcmpRequest = { hostname: "example.org", ipFamily: "IPv4", pingCount: 2 };
const measurement: IcmpMeasurement = {
  resolvedIp: "192.0.2.1",
  dnsMs: 3.5,
  packetSizeBytes: 64,
  packets: [
    { sequence: 0, sentAtMs: 1_700_000_000_000.25, rttMs: 10.5, ttl: 56, type: 0, code: 0 },
    { sequence: 1, sentAtMs: null, rttMs: null, ttl: null, type: null, code: null },
  ],
  statistics: {
    packetsSent: 1,
    packetsReceived: 1,
    packetLossPercent: 50,
    minMs: 10.5,
    avgMs: 10.5,
    maxMs: 10.5,
    stdDevMs: 0,
    jitterMs: null,
    longestLossBurst: 1,
    duplicates: 2,
    reordered: 3,
    lateReplies: 4,
  },
};

const measured: Outcome<IcmpMeasurement> = { kind: "measured", measurement };

test("a measured run is converted to the API document", () => {
  assert.deepEqual(buildResponse({ request, outcome: measured }), {
    hostname: "example.org",
    resolvedIp: "192.0.2.1",
    ipFamily: "IPv4",
    pingCount: 2,
    packetsSent: 1,
    packetsReceived: 1,
    packetSize: 64,
    packetLoss: 50,
    dnsResolutionTime: 3.5,
    latency: { avg: 10.5, min: 10.5, max: 10.5, stdDev: 0 },
    pingResults: [
      {
        sequence: 0,
        type: 0,
        code: 0,
        success: true,
        rtt: 10.5,
        ttl: 56,
        sentAt: "2023-11-14T22:13:20.000Z",
      },
      { sequence: 1, type: null, code: null, success: false, rtt: null, ttl: null, sentAt: null },
    ],
    jitter: null,
    longestLossBurst: 1,
    duplicates: 2,
    reordered: 3,
    lateReplies: 4,
  });
});

test("an ICMP error instead of a reply is not a success", () => {
  const packet = { sequence: 0, sentAtMs: 0, rttMs: null, ttl: 60, type: 3, code: 1 };
  const outcome = { ...measured, measurement: { ...measurement, packets: [packet] } };
  const [ping] = buildResponse({ request, outcome }).pingResults;
  assert.deepEqual([ping?.success, ping?.type, ping?.code], [false, 3, 1]);
});

test("every outcome has the same fields, and the loss is null if nothing was sent", () => {
  const fields = Object.keys(buildResponse({ request, outcome: measured }));
  const troubles: IcmpTrouble[] = [
    { kind: "unresolved", code: "ENOTFOUND", message: "no such name", resolvedIp: null, dnsMs: 9 },
    { kind: "unsendable", code: "EPERM", message: "no", resolvedIp: "192.0.2.1", dnsMs: 1 },
  ];
  const outcomes: Outcome<IcmpMeasurement>[] = [
    ...troubles.map((trouble) => ({ kind: "unreachable" as const, trouble })),
    { kind: "no-answer", message: "silence" },
  ];
  for (const outcome of outcomes) {
    const document = buildResponse({ request, outcome });
    assert.deepEqual(Object.keys(document), fields);
    assert.deepEqual([document.packetLoss, document.latency.avg], [null, null]);
    assert.deepEqual([document.packetsSent, document.pingResults], [0, []]);
  }
  const [unresolved, unsendable, silent] = outcomes.map((outcome) =>
    buildResponse({ request, outcome }),
  );
  assert.deepEqual([unresolved?.resolvedIp, unresolved?.dnsResolutionTime], [null, 9]);
  assert.deepEqual([unsendable?.resolvedIp, unsendable?.dnsResolutionTime], ["192.0.2.1", 1]);
  assert.deepEqual([silent?.resolvedIp, silent?.dnsResolutionTime], [null, null]);
});
