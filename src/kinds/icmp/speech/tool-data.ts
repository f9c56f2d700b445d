/** What the agent's tools return for ICMP checks and their runs. */

export interface CheckData {
  readonly hostname: string;
  readonly ipFamily: string;
  readonly pingCount: number;
  readonly degradedPacketLossThreshold: number;
  readonly maxPacketLossThreshold: number;
}

export interface ResultData {
  readonly lossPercent: number | null;
  readonly minMs: number | null;
  readonly avgMs: number | null;
  readonly maxMs: number | null;
  readonly jitterMs: number | null;
}

export interface PacketData {
  readonly sequence: number;
  /** `null` for a lost packet. */
  readonly rttMs: number | null;
  readonly icmpType: number | null;
  readonly icmpCode: number | null;
}

export interface RunData extends ResultData {
  readonly resolvedIp: string | null;
  readonly duplicates: number | null;
  readonly reordered: number | null;
  readonly lateReplies: number | null;
  readonly trouble: Readonly<Record<string, unknown>> | null;
  readonly packets: readonly PacketData[];
}

export interface FigureData {
  readonly packetLossPercent: number | null;
}
