import type { Packet, PingStatistics, Result } from "../../contract/result.ts";
import { formatDateTime } from "../../platform/dates.ts";

export interface IcmpPingResult {
  readonly sequence: number;
  readonly type: number | null;
  readonly code: number | null;
  readonly success: boolean;
  readonly rtt: number | null;
  readonly ttl: number | null;
  readonly sentAt: string | null;
}

/** What a run found, in the words of the public API. Assertions read it, and replies carry it. */
export interface IcmpDocument {
  readonly hostname: string;
  readonly resolvedIp: string | null;
  readonly ipFamily: string;
  readonly pingCount: number;
  readonly packetsSent: number;
  readonly packetsReceived: number;
  /** Bytes. */
  readonly packetSize: number | null;
  /** Percent; null when nothing was sent, since then nothing can be lost. */
  readonly packetLoss: number | null;
  /** Milliseconds, as all times below. */
  readonly dnsResolutionTime: number | null;
  readonly latency: {
    readonly avg: number | null;
    readonly min: number | null;
    readonly max: number | null;
    readonly stdDev: number | null;
  };
  readonly pingResults: readonly IcmpPingResult[];
  readonly jitter: number | null;
  readonly longestLossBurst: number;
  readonly duplicates: number;
  readonly reordered: number;
  readonly lateReplies: number;
}

const nothingMeasured: PingStatistics = {
  packetsSent: 0,
  packetsReceived: 0,
  packetLossPercent: 0,
  minMs: null,
  avgMs: null,
  maxMs: null,
  stdDevMs: null,
  jitterMs: null,
  longestLossBurst: 0,
  duplicates: 0,
  reordered: 0,
  lateReplies: 0,
};

/** The same fields whatever happened, so that a path is never right on some runs only. */
export function buildIcmpDocument(result: Pick<Result, "request" | "outcome">): IcmpDocument {
  const { request, outcome } = result;
  const measured = outcome.kind === "measured" ? outcome : null;
  const statistics = measured?.statistics ?? nothingMeasured;
  return {
    hostname: request.hostname,
    resolvedIp: "resolvedIp" in outcome ? outcome.resolvedIp : null,
    ipFamily: request.ipFamily,
    pingCount: request.pingCount,
    packetsSent: statistics.packetsSent,
    packetsReceived: statistics.packetsReceived,
    packetSize: measured?.packetSizeBytes ?? null,
    packetLoss: measured === null ? null : statistics.packetLossPercent,
    dnsResolutionTime: "dnsMs" in outcome ? outcome.dnsMs : null,
    latency: {
      avg: statistics.avgMs,
      min: statistics.minMs,
      max: statistics.maxMs,
      stdDev: statistics.stdDevMs,
    },
    pingResults: measured?.packets.map(describePacket) ?? [],
    jitter: statistics.jitterMs,
    longestLossBurst: statistics.longestLossBurst,
    duplicates: statistics.duplicates,
    reordered: statistics.reordered,
    lateReplies: statistics.lateReplies,
  };
}

function describePacket(packet: Packet): IcmpPingResult {
  return {
    sequence: packet.sequence,
    type: packet.type,
    code: packet.code,
    success: packet.rttMs !== null,
    rtt: packet.rttMs,
    ttl: packet.ttl,
    sentAt: packet.sentAtMs === null ? null : formatDateTime(new Date(packet.sentAtMs)),
  };
}
