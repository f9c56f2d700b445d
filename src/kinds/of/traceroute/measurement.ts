import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Trouble } from "../../../contract/result.ts";
import type { IpFamily } from "../../../platform/net/host.ts";
import type { Figures, PartDefinition } from "../../kit/figures.ts";

export const protocols = ["TCP", "UDP", "ICMP"] as const;
export type TraceProtocol = (typeof protocols)[number];

export const maxHops = 64;
export const probesPerHop = 3;
/**
 * Maximum number of addresses per hop. Several addresses respond if a router balances the load per
 * packet.
 */
export const maxAddresses = probesPerHop;
export const maxLabels = 8;
export const maxNameLength = 100;

/** One entry of an MPLS label stack. */
export interface Label {
  readonly label: number;
  readonly trafficClass: number;
  readonly ttl: number;
}

/** An ICMP error other than an exceeded hop limit. */
export interface HopError {
  readonly type: number;
  readonly code: number;
  /**
   * MTU of the next link, if the packet was too big and the router reported the MTU; otherwise
   * `null`.
   */
  readonly mtu: number | null;
}

export interface HopAddress {
  readonly address: string;
  /**
   * Name of the address from reverse DNS; `null` if no name was found or the lookup is disabled.
   */
  readonly name: string | null;
}

/**
 * Results of all probes with the same hop limit. The hop limit is the number of the hop, starting
 * at 1.
 */
export interface Hop {
  readonly sent: number;
  /** Round-trip times, one per response, in the order in which the probes were sent. */
  readonly rttsMs: readonly number[];
  /** Distinct addresses that responded, in the order in which the probes were sent. */
  readonly addresses: readonly HopAddress[];
  readonly error: HopError | null;
  readonly labels: readonly Label[];
}

/**
 * Reasons why a trace ends. If existing clients have a name for a reason, the same name is used
 * here.
 */
export const traceEnds = [
  "destinationReached",
  "maxHops",
  "maxUnknownHops",
  "timeout",
  "unreachable",
  "packetTooBig",
  "loop",
] as const;
export type TraceEnd = (typeof traceEnds)[number];

/**
 * How packets are sent and received: with raw sockets, which need CAP_NET_RAW, or with unprivileged
 * sockets.
 */
export const socketModes = ["raw", "unprivileged"] as const;
export type SocketMode = (typeof socketModes)[number];

export interface TracerouteMeasurement {
  readonly resolvedIp: string;
  readonly dnsMs: number;
  readonly mode: SocketMode;
  /** Protocol of the probes, if the probe may not send those of the request; otherwise absent. */
  readonly substitute?: TraceProtocol;
  readonly end: TraceEnd;
  readonly hops: readonly Hop[];
  /** Number of received packets that passed the filters of this trace but match no open probe. */
  readonly ignoredPackets: number;
}

/** Failure that prevented the trace before a packet was sent. */
export interface TracerouteTrouble extends Trouble {
  readonly kind: "unresolved" | "denied" | "unreachable" | "unsendable";
  readonly resolvedIp: string | null;
  readonly dnsMs: number | null;
}

export interface Latency {
  readonly avg: number;
  readonly min: number;
  readonly max: number;
  readonly stdDev: number;
}

/** Summarises round-trip times; `null` if there are none. */
export function computeLatency(rttsMs: readonly number[]): Latency | null {
  if (rttsMs.length === 0) return null;
  const avg = rttsMs.reduce((sum, rtt) => sum + rtt, 0) / rttsMs.length;
  const variance = rttsMs.reduce((sum, rtt) => sum + (rtt - avg) ** 2, 0) / rttsMs.length;
  return { avg, min: Math.min(...rttsMs), max: Math.max(...rttsMs), stdDev: Math.sqrt(variance) };
}

export function computeLossPercent({ sent, rttsMs }: Pick<Hop, "sent" | "rttsMs">): number {
  return sent === 0 ? 0 : (100 * Math.max(0, sent - rttsMs.length)) / sent;
}

export function isReached({ end }: Pick<TracerouteMeasurement, "end">): boolean {
  return end === "destinationReached";
}

/** Summarises the round-trip times to the target; `null` if the target was not reached. */
export function computeFinalLatency(measurement: TracerouteMeasurement): Latency | null {
  return isReached(measurement) ? computeLatency(measurement.hops.at(-1)?.rttsMs ?? []) : null;
}

/** Returns the packet loss at the last hop in percent. Existing clients define loss in this way. */
export function computeFinalLoss({ hops }: Pick<TracerouteMeasurement, "hops">): number {
  const last = hops.at(-1);
  return last === undefined ? 100 : computeLossPercent(last);
}

interface Loop {
  readonly address: string;
  /**
   * Numbers of the hops at which `address` responded. If adjacent hops responded with this address,
   * only the last of them is listed, because adjacent hops are not a loop.
   */
  readonly hops: readonly number[];
}

/**
 * Finds the address that most often responds again after a different address. Adjacent hops with
 * the same address are not a loop: if a router forwards packets whose hop limit is zero, the next
 * router responds to the probes of two hops.
 */
export function findLoop(hops: readonly Pick<Hop, "addresses" | "error">[]): Loop | null {
  const places = new Map<string, number[]>();
  for (const [index, { addresses, error }] of hops.entries()) {
    if (error !== null) continue;
    for (const { address } of addresses) {
      const known = places.get(address);
      const before = known?.at(-1);
      if (known === undefined || before === undefined) places.set(address, [index + 1]);
      else if (index + 1 - before >= 2) known.push(index + 1);
      else known[known.length - 1] = index + 1;
    }
  }
  const [longest] = [...places]
    .map(([address, numbers]) => ({ address, hops: numbers }))
    .toSorted((one, other) => other.hops.length - one.hops.length);
  return longest !== undefined && longest.hops.length > 1 ? longest : null;
}

const unit = "milliseconds" as const;

export const parts = [
  {
    name: "loss",
    metric: "packetLoss",
    unit: "percentage",
    label: "Packet loss at the last hop",
    summary: { noun: "loss", examples: { avg: 0.1, p95: 0, p99: 33.3 } },
  },
  {
    name: "hops",
    metric: "hopCount",
    unit: "score",
    label: "Number of hops",
    summary: { noun: "number of hops", examples: { avg: 11.2, p95: 12, p99: 14 } },
  },
  { name: "dns", metric: "dns", unit, label: "Name resolution time" },
  { name: "min", metric: "latencyMin", unit, label: "Lowest round trip to the target" },
  { name: "max", metric: "latencyMax", unit, label: "Highest round trip to the target" },
] as const satisfies readonly PartDefinition[];

export function listFigures(measurement: TracerouteMeasurement): Figures {
  const latency = computeFinalLatency(measurement);
  const { hops, dnsMs } = measurement;
  return {
    responseMs: latency?.avg ?? null,
    samples: latency === null ? [] : [latency.avg],
    counters: [],
    parts: [
      computeFinalLoss(measurement),
      hops.length,
      dnsMs,
      latency?.min ?? null,
      latency?.max ?? null,
    ],
  };
}

const Figure = Type.Number({ minimum: 0 });
const OrNull = (schema: ReturnType<typeof Type.Integer> | ReturnType<typeof Type.String>) =>
  Type.Union([schema, Type.Null()]);
const Count = (maximum: number) => Type.Integer({ minimum: 0, maximum });

const MeasurementSchema = Type.Object({
  resolvedIp: Type.String({ maxLength: 64 }),
  dnsMs: Figure,
  mode: Type.Enum([...socketModes]),
  substitute: Type.Optional(Type.Enum([...protocols])),
  end: Type.Enum([...traceEnds]),
  hops: Type.Array(
    Type.Object({
      sent: Count(probesPerHop),
      rttsMs: Type.Array(Figure, { maxItems: probesPerHop }),
      addresses: Type.Array(
        Type.Object({
          address: Type.String({ maxLength: 64 }),
          name: OrNull(Type.String({ maxLength: maxNameLength })),
        }),
        { maxItems: maxAddresses },
      ),
      error: Type.Union([
        Type.Object({ type: Count(255), code: Count(255), mtu: OrNull(Count(0xffff)) }),
        Type.Null(),
      ]),
      labels: Type.Array(
        Type.Object({ label: Count(0xf_ffff), trafficClass: Count(7), ttl: Count(255) }),
        { maxItems: maxLabels },
      ),
    }),
    { maxItems: maxHops },
  ),
  ignoredPackets: Count(0xffff_ffff),
});

let compiled: { Check(value: unknown): boolean } | undefined;

/** Validates a measurement. The validator is compiled on first use, because probes never use it. */
export function isTracerouteMeasurement(value: unknown): value is TracerouteMeasurement {
  compiled ??= Compile(MeasurementSchema);
  return compiled.Check(value);
}

const ipv4Texts: Readonly<Record<number, string>> = {
  0: "network unreachable",
  1: "host unreachable",
  2: "protocol unreachable",
  3: "port unreachable",
  5: "source route failed",
  6: "network unknown",
  7: "host unknown",
  9: "network prohibited",
  10: "host prohibited",
  11: "network unreachable for the type of service",
  12: "host unreachable for the type of service",
  13: "prohibited by a filter",
  14: "host precedence violation",
  15: "precedence cutoff",
};

const ipv6Texts: Readonly<Record<number, string>> = {
  0: "no route",
  1: "prohibited by a filter",
  2: "beyond the scope of the source",
  3: "address unreachable",
  4: "port unreachable",
  5: "source address prohibited",
  6: "route rejected",
};

/** Formats an ICMP error, such as "host unreachable". */
export function nameHopError({ type, code, mtu }: HopError, family: IpFamily): string {
  const isTooBig = family === "IPv4" ? type === 3 && code === 4 : type === 2;
  if (isTooBig) {
    return mtu === null ? "packet too big" : `packet too big, the next link carries ${mtu} bytes`;
  }
  const isUnreachable = type === (family === "IPv4" ? 3 : 1);
  const text = (family === "IPv4" ? ipv4Texts : ipv6Texts)[code];
  return (isUnreachable ? text : undefined) ?? `ICMP type ${type}, code ${code}`;
}
