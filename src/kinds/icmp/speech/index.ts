import { writeChange, writeCount, writeMs, writePercent } from "../../../platform/text/figures.ts";
import { quote } from "../../../platform/text/quote.ts";
import type { KindMeasure, KindSpeech } from "../../speech.ts";
import type { ReadHost } from "./host-reader.ts";
import {
  describeIcmpErrors,
  describeLossPattern,
  describeRun,
  findLossPattern,
  type LossPattern,
} from "./packet-pattern.ts";
import { type MentionedSettings, proposal } from "./proposal.ts";
import type { CheckData, FigureData, ResultData, RunData } from "./tool-data.ts";

const causes: Readonly<Record<LossPattern["kind"], string | null>> = {
  none: null,
  burst: "The loss comes in bursts, which suggests a link failure or a route change.",
  scattered: "The loss is scattered, which suggests congestion, a bad line or an ICMP rate limit.",
  all: "Whole runs are lost: the host or the path to it was down at those times.",
  tail: "The path broke during the run.",
};

const loss: KindMeasure<ResultData, RunData, FigureData> = {
  noun: "packet loss",
  ofFigures: ({ packetLossPercent }) => packetLossPercent,
  ofResult: ({ lossPercent }) => lossPercent,
  describe: (percent) => `lost ${writePercent(percent)} of its packets`,
  describeShortly: (percent) => `${writePercent(percent)} lost`,
  happened: "lost packets",
  happenedOnce: "lost a packet",
  nowhere: "No location loses any",
  everywhere: "All locations lose packets, so the cause is at or near the host",
  somewhere: "so the cause is on the path from there",
  describeRun: ({ packets }) => {
    const errors = describeIcmpErrors(packets);
    const pattern = describeLossPattern(findLossPattern(packets));
    return errors === null ? pattern : `${pattern}; ${errors}`;
  },
  summarise: (runs) => {
    const kinds = new Set(runs.map(({ packets }) => findLossPattern(packets).kind));
    if (kinds.size > 1) return "The loss has no single pattern: it comes in bursts and scattered.";
    const [kind] = kinds;
    return kind === undefined ? null : causes[kind];
  },
};

/** Phrases and rules for ICMP checks. */
export const speech: KindSpeech<
  CheckData,
  ResultData,
  RunData,
  FigureData,
  ReadHost,
  MentionedSettings
> = {
  lexicon: {
    LATENCY: "ping pings",
    MEASURE: "loss losses losing lossy lose loses lost dropped drops drop dropping",
    UNIT: "packet packets pkt pkts",
    PATTERN: "burst bursts bursty random randomly pattern",
    SPREAD: "jitter",
  },
  glossary: {
    failing:
      "Failing: the packet loss of the latest run reached the failing limit, an assertion failed, or the host was unreachable.",
    degraded:
      "Degraded: the latest run reached the degraded limit of packet loss or response time, but did not fail.",
    percentiles: "P95: 95 of 100 packets came back at least as fast; P50 and P99 alike.",
    measure: "Packet loss: the share of sent packets without a reply in time.",
  },
  examples: [
    "explain the packet loss of edge-router",
    "ping 192.0.2.1 every minute and alert at 20 % loss",
  ],
  target: ({ hostname }) => hostname,
  describeTarget: ({ hostname, ipFamily }) => `pings ${quote(hostname)} over ${ipFamily}`,
  describeSize: ({ pingCount }) => `${writeCount(pingCount, "packet")} a run`,
  describeLimits: ({ maxPacketLossThreshold, degradedPacketLossThreshold }) => [
    `failing at ${maxPacketLossThreshold} % loss`,
    `degraded at ${degradedPacketLossThreshold} % loss`,
  ],
  describeResult: ({ lossPercent, avgMs }) =>
    `loss ${writePercent(lossPercent)}, average ${writeMs(avgMs)}`,
  describeRun,
  describeDestination: ({ resolvedIp }) => (resolvedIp === null ? "" : ` to ${resolvedIp}`),
  findEvidence: ({ packets }) => describeIcmpErrors(packets),
  culprits: {
    "name-not-resolved": "Name resolution seems to be the cause: no packet was sent.",
    "address-denied": "The probe's own rules forbid that address.",
  },
  ownReasons: ["packet-loss-at-or-above-max", "packet-loss-at-or-above-degraded"],
  describeFigures: ({ packetLossPercent }) => `loss ${writePercent(packetLossPercent)}`,
  describeChange: (before, now) =>
    `loss ${writePercent(before.packetLossPercent)} → ${writePercent(now.packetLossPercent)}`,
  describeDifference: (change) =>
    `loss ${writeChange((change as FigureData).packetLossPercent, "points")}`,
  measure: loss,
  spread: { noun: "jitter", ofResult: ({ jitterMs }) => jitterMs },
  proposal,
};
