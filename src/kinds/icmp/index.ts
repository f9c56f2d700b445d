import type { Kind } from "../kind.ts";
import { noTexts } from "../texts.ts";
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
import { speech } from "./speech/index.ts";
import { tools } from "./tool-fields.ts";

/** Sends echo requests to one host and checks packet loss and round trips. */
export const icmp: Kind<IcmpSettings, IcmpRequest, IcmpMeasurement, IcmpReason> = {
  type: "ICMP",
  path: "icmp",
  analyticsPath: "icmp",
  words: {
    aCheck: "an ICMP check",
    exactFigures: "counts, availability and average loss",
    aRun: "a ping",
    verb: "pings",
    responseTime: "average round trip",
    names: ["ping", "icmp", "echo"],
    fieldHints: {
      request: "The host to ping.",
      "request.hostname": "The host name or IP address to ping.",
      "request.ipFamily": "IPv4 or IPv6; default IPv4.",
      "request.pingCount": "Packets per run; default 10.",
      "request.assertions": "Additional assertions, such as a maximum average latency.",
      degradedPacketLossThreshold: "Packet loss in percent at which a run is degraded.",
      maxPacketLossThreshold: "Packet loss in percent at which a run is failing.",
    },
  },
  operations: {
    name: "Icmp",
    create:
      "`name` and `request.hostname` are required; all other fields have defaults. The " +
      "first run starts within one period.",
    update:
      "An omitted field keeps its value. `heartbeat` and `script` must be " +
      'sent but mean nothing for a ping: `{}` and `""` do.',
    example: { request: { hostname: "127.0.0.1", pingCount: 1 } },
  },
  speech,
  isOrdered: true,
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
    "icmpCheckResult",
  ],
  mergeSettings,
  findFaults,
  target: ({ request }) => request.hostname,
  deadlineMs,
  toRequest,
  texts: noTexts,
  assertionSources,
  listAssertions: ({ request }) => request.assertions,
  limitFields,
  limits: ({ degradedPacketLossThreshold, maxPacketLossThreshold }) => ({
    degradedPacketLossThreshold,
    maxPacketLossThreshold,
  }),
  describeLimits: ({ degradedPacketLossThreshold: degraded, maxPacketLossThreshold: most }) =>
    `is degraded at ${degraded} % and failing at ${most} % packet loss`,
  isMeasurement: isIcmpMeasurement,
  judge,
  explain,
  counters,
  parts,
  samples: { metric: "latency", noun: "round trip", label: null },
  figures: listFigures,
  encode,
  decode,
  figureBytes,
  readFigures,
  documentField: "icmpCheckResult",
  DocumentSchema,
  document: buildDocument,
  explainingFields,
  explainingFigures: (measurement) => ({
    packetLoss: measurement?.statistics.packetLossPercent ?? null,
  }),
  listFacts: (measurement) => [
    {
      name: "packetLossPercent",
      label: "Packet loss",
      value: measurement?.statistics.packetLossPercent ?? null,
      unit: "%",
    },
  ],
  listExamples: ({ hasIpv6 }) => [
    { name: "This machine over IPv4", request: { hostname: "127.0.0.1" } },
    ...(hasIpv6
      ? [{ name: "This machine over IPv6", request: { hostname: "::1", ipFamily: "IPv6" } }]
      : []),
  ],
  tools,
};
