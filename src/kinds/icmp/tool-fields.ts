import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { OrNull } from "../../platform/http/schema.ts";
import type { KindTools } from "../kind.ts";
import { roundFigure } from "../round-figure.ts";
import { buildResponse } from "./document.ts";
import type { IcmpMeasurement, Packet } from "./measurement.ts";
import type { IcmpRequest, IcmpSettings } from "./request.ts";

const figure = (description: string) => OrNull(Type.Number({ description }));
const wholeNumber = OrNull(Type.Integer());

const PacketSchema = Type.Object(
  {
    sequence: Type.Integer(),
    sentAt: OrNull(Type.String({ format: "date-time", description: "when it was sent" })),
    rttMs: figure("round trip; null for a lost packet"),
    ttl: wholeNumber,
    icmpType: wholeNumber,
    icmpCode: wholeNumber,
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

export const tools: KindTools<IcmpSettings, IcmpRequest, IcmpMeasurement> = {
  checkFields: {
    ipFamily: Type.String({ description: "IPv4 or IPv6" }),
    pingCount: Type.Integer({ description: "packets in one run" }),
    degradedPacketLossThreshold: Type.Number({
      description: "packet loss in percent at which a run is degraded",
    }),
    maxPacketLossThreshold: Type.Number({
      description: "packet loss in percent at which a run is failing",
    }),
  },
  describeCheck: ({ request, degradedPacketLossThreshold, maxPacketLossThreshold }) => ({
    ipFamily: request.ipFamily,
    pingCount: request.pingCount,
    degradedPacketLossThreshold,
    maxPacketLossThreshold,
  }),
  resultFields: {
    packetsSent: wholeNumber,
    packetsReceived: wholeNumber,
    lossPercent: figure("packet loss"),
    minMs: figure("fastest round trip"),
    avgMs: figure("average round trip"),
    maxMs: figure("slowest round trip"),
    jitterMs: figure("mean change from one round trip to the next"),
  },
  describeResult: (measurement) => {
    const statistics = measurement?.statistics;
    return {
      packetsSent: statistics?.packetsSent ?? null,
      packetsReceived: statistics?.packetsReceived ?? null,
      lossPercent: roundFigure(statistics?.packetLossPercent ?? null),
      minMs: roundFigure(statistics?.minMs ?? null),
      avgMs: roundFigure(statistics?.avgMs ?? null),
      maxMs: roundFigure(statistics?.maxMs ?? null),
      jitterMs: roundFigure(statistics?.jitterMs ?? null),
    };
  },
  runFields: {
    hostname: Type.String({ description: "the pinged host" }),
    resolvedIp: OrNull(Type.String({ description: "the IP address that the name resolved to" })),
    ipFamily: Type.String(),
    dnsMs: figure("name resolution time"),
    stdDevMs: figure("standard deviation of the round trips"),
    longestLossBurst: OrNull(Type.Integer({ description: "packets lost in a row" })),
    duplicates: wholeNumber,
    reordered: wholeNumber,
    lateReplies: wholeNumber,
    packets: Type.Array(PacketSchema, { description: "in sending order" }),
  },
  describeRun: (run) => {
    const response = buildResponse(run);
    const { outcome } = run;
    const packets = outcome.kind === "measured" ? outcome.measurement.packets : [];
    return {
      hostname: response.hostname,
      resolvedIp: response.resolvedIp,
      ipFamily: response.ipFamily,
      dnsMs: roundFigure(response.dnsResolutionTime),
      stdDevMs: roundFigure(response.latency.stdDev),
      longestLossBurst: response.longestLossBurst,
      duplicates: response.duplicates,
      reordered: response.reordered,
      lateReplies: response.lateReplies,
      packets: packets.map(describePacket),
    };
  },
  reasonFields: {
    lossPercent: Type.Optional(Type.Number()),
    limitPercent: Type.Optional(Type.Number()),
  },
  figureFields: { packetLossPercent: figure("of all packets") },
  describeFigures: ({ loss = null }) => ({ packetLossPercent: roundFigure(loss) }),
  hints: {
    run: "with the send time and round trip of every packet",
    figures: "packet loss",
    samples: "round trips of single packets",
    creation: "Packet loss thresholds are in percent.",
  },
};
