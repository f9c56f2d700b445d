import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { OrNull } from "../../../platform/http/schema.ts";
import { writeChange, writeCount, writeMs, writePercent } from "../../../platform/text/figures.ts";
import type { KindMeasure, OwnAgent, OwnSpeech } from "../../kit/agent.ts";
import type { Run } from "../../kit/definition.ts";
import { roundFigure } from "../../kit/figures.ts";
import {
  type DataOf,
  field,
  figure,
  type ResultDataOf,
  type ToolFields,
  textOrNull,
} from "../../kit/tool-fields.ts";
import { buildResponse } from "./document.ts";
import type { IcmpMeasurement, Packet } from "./measurement.ts";
import {
  describeIcmpErrors,
  describeLossPattern,
  describeRun,
  findLossPattern,
  type LossPattern,
} from "./packet-pattern.ts";
import { type MentionedSettings, proposal, type ReadHost } from "./proposal.ts";
import type { IcmpRequest, IcmpSettings } from "./request.ts";

type IcmpRun = Run<IcmpRequest, IcmpMeasurement>;

const WholeNumber = OrNull(Type.Integer());

const PacketSchema = Type.Object(
  {
    sequence: Type.Integer(),
    sentAt: OrNull(Type.String({ format: "date-time", description: "when it was sent" })),
    rttMs: OrNull(Type.Number({ description: "round trip; null for a lost packet" })),
    ttl: WholeNumber,
    icmpType: WholeNumber,
    icmpCode: WholeNumber,
  },
  { additionalProperties: false },
);

function describePacket(packet: Packet) {
  return {
    sequence: packet.sequence,
    sentAt: packet.sentAtMs === null ? null : formatDateTime(new Date(packet.sentAtMs)),
    rttMs: roundFigure(packet.rttMs),
    ttl: packet.ttl,
    icmpType: packet.type,
    icmpCode: packet.code,
  };
}

const checkFields = {
  ipFamily: field(
    Type.String({ description: "IPv4, IPv6 or BOTH" }),
    ({ request }) => request.ipFamily,
  ),
  pingCount: field(
    Type.Integer({ description: "packets in one run" }),
    ({ request }) => request.pingCount,
  ),
  degradedPacketLossThreshold: field(
    Type.Number({ description: "packet loss in percent at which a run is degraded" }),
    (settings) => settings.degradedPacketLossThreshold,
  ),
  maxPacketLossThreshold: field(
    Type.Number({ description: "packet loss in percent at which a run is failing" }),
    (settings) => settings.maxPacketLossThreshold,
  ),
} satisfies ToolFields<IcmpSettings>;

const resultFields = {
  packetsSent: field(WholeNumber, ({ statistics }) => statistics.packetsSent),
  packetsReceived: field(WholeNumber, ({ statistics }) => statistics.packetsReceived),
  lossPercent: figure("packet loss", ({ statistics }) => statistics.packetLossPercent),
  minMs: figure("fastest round trip", ({ statistics }) => statistics.minMs),
  avgMs: figure("average round trip", ({ statistics }) => statistics.avgMs),
  maxMs: figure("slowest round trip", ({ statistics }) => statistics.maxMs),
  jitterMs: figure(
    "mean change from one round trip to the next",
    ({ statistics }) => statistics.jitterMs,
  ),
} satisfies ToolFields<IcmpMeasurement>;

const runFields = {
  hostname: field(Type.String({ description: "the pinged host" }), (run) => run.request.hostname),
  resolvedIp: textOrNull(
    "the IP address that the name resolved to",
    (run) => buildResponse(run).resolvedIp,
  ),
  ipFamily: field(Type.String(), ({ request }) => request.ipFamily),
  dnsMs: figure("name resolution time", (run) => buildResponse(run).dnsResolutionTime),
  stdDevMs: figure(
    "standard deviation of the round trips",
    (run) => buildResponse(run).latency.stdDev,
  ),
  longestLossBurst: field(
    OrNull(Type.Integer({ description: "packets lost in a row" })),
    (run) => buildResponse(run).longestLossBurst,
  ),
  duplicates: field(WholeNumber, (run) => buildResponse(run).duplicates),
  reordered: field(WholeNumber, (run) => buildResponse(run).reordered),
  lateReplies: field(WholeNumber, (run) => buildResponse(run).lateReplies),
  packets: field(Type.Array(PacketSchema, { description: "in sending order" }), ({ outcome }) =>
    outcome.kind === "measured" ? outcome.measurement.packets.map(describePacket) : [],
  ),
} satisfies ToolFields<IcmpRun>;

/**
 * Data of a check in the replies of the agent's tools. `hostname` contains the target for checks of
 * every kind.
 */
export type CheckData = DataOf<typeof checkFields> & { readonly hostname: string };
export type ResultData = ResultDataOf<typeof resultFields>;
export type RunData = ResultData &
  DataOf<typeof runFields> & { readonly trouble: Readonly<Record<string, unknown>> | null };
export interface FigureData {
  readonly packetLossPercent: number | null;
}

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

const speech: OwnSpeech<CheckData, ResultData, RunData, FigureData, ReadHost, MentionedSettings> = {
  describeSize: ({ pingCount }) => `${writeCount(pingCount, "packet")} a run`,
  describeLimits: ({ maxPacketLossThreshold, degradedPacketLossThreshold }) => [
    `failing at ${maxPacketLossThreshold} % loss`,
    `degraded at ${degradedPacketLossThreshold} % loss`,
  ],
  describeResult: ({ lossPercent, avgMs }) =>
    `loss ${writePercent(lossPercent)}, average ${writeMs(avgMs)}`,
  describeRun,
  findEvidence: ({ packets }) => describeIcmpErrors(packets),
  culprits: {
    "name-not-resolved": "Name resolution seems to be the cause: no packet was sent.",
  },
  ownReasons: ["packet-loss-at-or-above-max", "packet-loss-at-or-above-degraded"],
  describeFigures: ({ packetLossPercent }) => `loss ${writePercent(packetLossPercent)}`,
  describeChange: (before, now) =>
    `loss ${writePercent(before.packetLossPercent)} → ${writePercent(now.packetLossPercent)}`,
  describeDifference: ({ packetLossPercent }) => `loss ${writeChange(packetLossPercent, "points")}`,
  measure: loss,
  proposal,
};

/**
 * Defines how the agent describes ICMP checks and which words of a question refer to ICMP checks.
 */
export const agent: OwnAgent<IcmpSettings, IcmpRequest, IcmpMeasurement> = {
  names: ["ping", "icmp", "echo"],
  fieldHints: {
    request: "The host to ping.",
    "request.hostname": "The host name or IP address to ping.",
    "request.ipFamily": "IPv4, IPv6, or BOTH to measure both in each run; default IPv4.",
    "request.pingCount": "Packets per run; default 10.",
    "request.assertions": "Additional assertions, such as a maximum average latency.",
    degradedPacketLossThreshold: "Packet loss in percent at which a run is degraded.",
    maxPacketLossThreshold: "Packet loss in percent at which a run is failing.",
  },
  hints: {
    run: "with the send time and round trip of every packet",
    figures: "packet loss",
    samples: "round trips of single packets",
    creation: "Packet loss thresholds are in percent.",
  },
  checkFields,
  resultFields,
  runFields,
  reasonFields: {
    lossPercent: Type.Optional(Type.Number()),
    limitPercent: Type.Optional(Type.Number()),
  },
  figureFields: { packetLossPercent: figure("of all packets", (averages) => averages.loss) },
  speech,
};
