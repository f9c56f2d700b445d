import { createKind } from "../../kit/create-kind.ts";
import { toFamily } from "../../kit/paths/path.ts";
import { agent } from "./agent.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, DocumentSchema, explainingFields } from "./document.ts";
import { explain, type IcmpReason, judge } from "./judge.ts";
import {
  counters,
  type IcmpMeasurement,
  isIcmpMeasurement,
  listFigures,
  parts,
} from "./measurement.ts";
import {
  assertionSources,
  deadlineMs,
  fields,
  findFaults,
  type IcmpRequest,
  type IcmpSettings,
  limitFields,
  mergeSettings,
  toRequest,
} from "./request.ts";

/**
 * Kind of checks that send echo requests to a host and measure packet loss and round-trip times.
 */
export const icmp = createKind<IcmpSettings, IcmpRequest, IcmpMeasurement, IcmpReason>({
  type: "ICMP",
  fields,
  responseTimeLimits: { degradedMs: null, failingMs: null, highestMs: 300_000, areShown: false },
  ownFieldNames: [
    "pingCount",
    "ping_count",
    "pingResults",
    "packetLoss",
    "PacketLoss",
    "packet_loss",
    "packetsSent",
    "packets_sent",
    "packetsReceived",
    "packets_received",
    "lossPercent",
    "loss_percent",
    "longestLossBurst",
    "loss_burst",
    "lateReplies",
    "late_replies",
    "rttMs",
    "icmpType",
  ],
  mergeSettings,
  findFaults,
  target: ({ request }) => request.hostname,
  deadlineMs,
  toRequest,
  pathTarget: ({ hostname, ipFamily }) => ({
    ...{ hostname, port: null, ipFamily: toFamily(ipFamily) },
    protocol: "ICMP",
  }),
  families: {
    weigh: ({ statistics: { packetLossPercent, avgMs } }) => packetLossPercent * 1e6 + (avgMs ?? 0),
  },
  capturesPackets: true,
  assertionSources,
  isMeasurement: isIcmpMeasurement,
  judge,
  counters,
  parts,
  samples: { metric: "latency", noun: "round trip", label: null },
  figures: listFigures,
  encode,
  decode,
  figureBytes,
  readFigures,
  words: {
    aRun: "a ping",
    verb: "pings",
    responseTime: "average round trip",
    exactFigures: "counts, availability and average loss",
  },
  operations: {
    update:
      "An omitted field keeps its value. `heartbeat` and `script` must be " +
      'sent but mean nothing for a ping: `{}` and `""` do.',
    example: { request: { hostname: "127.0.0.1", pingCount: 1 } },
  },
  DocumentSchema,
  document: buildDocument,
  explain,
  limitFields,
  limits: ({ degradedPacketLossThreshold, maxPacketLossThreshold }) => ({
    degradedPacketLossThreshold,
    maxPacketLossThreshold,
  }),
  describeLimits: ({ degradedPacketLossThreshold: degraded, maxPacketLossThreshold: most }) =>
    `is degraded at ${degraded} % and failing at ${most} % packet loss`,
  explainingFields,
  explainingFigures: (measurement) => ({
    packetLoss: measurement?.statistics.packetLossPercent ?? null,
  }),
  listExamples: ({ hasIpv6 }) => [
    { name: "This machine over IPv4", request: { hostname: "127.0.0.1" } },
    ...(hasIpv6
      ? [{ name: "This machine over IPv6", request: { hostname: "::1", ipFamily: "IPv6" } }]
      : []),
  ],
  agent,
});
