import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Trouble } from "../../../contract/result.ts";
import type { CounterDefinition, Figures, PartDefinition } from "../../kit/figures.ts";

export interface Packet {
  /** Index of the packet in sending order, starting at 0. */
  readonly sequence: number;
  /** Send time in epoch milliseconds with a fraction; `null` if the packet could not be sent. */
  readonly sentAtMs: number | null;
  /** Round-trip time; `null` if no reply arrived in time. */
  readonly rttMs: number | null;
  readonly ttl: number | null;
  /**
   * ICMP type of the reply, or of the ICMP error that arrived instead; `null` if nothing arrived.
   * `code` is the ICMP code of the same message.
   */
  readonly type: number | null;
  readonly code: number | null;
}

export interface PingStatistics {
  readonly packetsSent: number;
  readonly packetsReceived: number;
  readonly packetLossPercent: number;
  readonly minMs: number | null;
  readonly avgMs: number | null;
  readonly maxMs: number | null;
  readonly stdDevMs: number | null;
  /** Interarrival jitter as defined in RFC 3550. */
  readonly jitterMs: number | null;
  readonly longestLossBurst: number;
  readonly duplicates: number;
  readonly reordered: number;
  readonly lateReplies: number;
}

export interface IcmpMeasurement {
  readonly resolvedIp: string;
  /** Duration of the name resolution; almost 0 if the target is an IP address. */
  readonly dnsMs: number;
  readonly packetSizeBytes: number;
  readonly packets: readonly Packet[];
  readonly statistics: PingStatistics;
}

/**
 * Reason why no packet was sent: the name did not resolve, the address is denied, or sending
 * failed.
 */
export interface IcmpTrouble extends Trouble {
  readonly kind: "unresolved" | "denied" | "unsendable";
  readonly resolvedIp: string | null;
  readonly dnsMs: number | null;
}

export const counters = [
  { name: "packetsSent" },
  { name: "packetsReceived" },
] as const satisfies readonly CounterDefinition[];

/**
 * Computes the packet loss in percent from the counters of sent and received packets; `null` if no
 * packet was sent.
 */
function computeLossPercent([sent = 0, received = 0]: readonly number[]): number | null {
  return sent === 0 ? null : (100 * Math.max(0, sent - received)) / sent;
}

const latency = { unit: "milliseconds" } as const;

export const parts = [
  {
    name: "loss",
    metric: "packetLoss",
    unit: "percentage",
    label: "Packet loss",
    average: computeLossPercent,
    summary: { noun: "loss", examples: { avg: 0.1, p95: 0, p99: 10 } },
  },
  { name: "min", metric: "latencyMin", ...latency, label: "Lowest latency of a run" },
  { name: "max", metric: "latencyMax", ...latency, label: "Highest latency of a run" },
  { name: "avg", metric: "latencyAvg", ...latency, label: "Average latency of a run" },
  {
    name: "std_dev",
    metric: "latencyStdDev",
    ...latency,
    label: "Standard deviation of latency in a run",
  },
] as const satisfies readonly PartDefinition[];

export function listFigures({ packets, statistics }: IcmpMeasurement): Figures {
  const { packetsSent, packetsReceived, packetLossPercent } = statistics;
  const { minMs, maxMs, avgMs, stdDevMs } = statistics;
  return {
    responseMs: avgMs,
    samples: packets.flatMap(({ rttMs }) => rttMs ?? []),
    counters: [packetsSent, packetsReceived],
    parts: [packetLossPercent, minMs, maxMs, avgMs, stdDevMs],
  };
}

const Figure = Type.Number({ minimum: 0 });
const OrNone = Type.Union([Figure, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });
const Byte = Type.Union([Type.Integer({ minimum: 0, maximum: 255 }), Type.Null()]);

const MeasurementSchema = Type.Object({
  resolvedIp: Type.String({ maxLength: 64 }),
  dnsMs: Figure,
  packetSizeBytes: Count,
  packets: Type.Array(
    Type.Object({
      sequence: Count,
      sentAtMs: Type.Union([Type.Number(), Type.Null()]),
      rttMs: OrNone,
      ttl: Byte,
      type: Byte,
      code: Byte,
    }),
    { maxItems: 255 },
  ),
  statistics: Type.Object({
    packetsSent: Count,
    packetsReceived: Count,
    packetLossPercent: Type.Number({ minimum: 0, maximum: 100 }),
    minMs: OrNone,
    avgMs: OrNone,
    maxMs: OrNone,
    stdDevMs: OrNone,
    jitterMs: OrNone,
    longestLossBurst: Count,
    duplicates: Count,
    reordered: Count,
    lateReplies: Count,
  }),
});

let compiled: { Check(value: unknown): boolean } | undefined;

/** Validates a measurement. The validator is compiled on first use, because probes never use it. */
export function isIcmpMeasurement(value: unknown): value is IcmpMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}
