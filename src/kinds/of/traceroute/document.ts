import { Type } from "typebox";
import { toTrouble } from "../../../contract/result.ts";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { IpFamily } from "../../../platform/net/host.ts";
import type { Run } from "../../kit/definition.ts";
import { roundFigure } from "../../kit/figures.ts";
import {
  computeFinalLatency,
  computeFinalLoss,
  computeLatency,
  computeLossPercent,
  findLoop,
  type Hop,
  isReached,
  type Latency,
  nameHopError,
  protocols,
  socketModes,
  type TracerouteMeasurement,
  type TracerouteTrouble,
  traceEnds,
} from "./measurement.ts";
import { defaultPorts, type TracerouteRequest } from "./request.ts";

const NullableText = OrNull(Type.String());
const Ms = (text: string, example: number) =>
  Type.Number({ description: text, examples: [example] });
const NullableMs = (text: string, example: number) =>
  Described(OrNull(Type.Number()), `${text}; \`null\` without a response.`, example);

const LatencySchema = Type.Object({
  avg: Ms("Average.", 12.34),
  min: Ms("Lowest.", 11.8),
  max: Ms("Highest.", 13.1),
  stdDev: Ms("Standard deviation.", 0.42),
});

const HopErrorSchema = Type.Object({
  type: Type.Integer({ description: "ICMP type.", examples: [3] }),
  code: Type.Integer({ description: "ICMP code.", examples: [13] }),
  message: Type.String({ description: "Its meaning.", examples: ["prohibited by a filter"] }),
  mtu: Described(
    OrNull(Type.Integer()),
    "Largest packet that the next link carries, if the packet was too big for it; otherwise `null`.",
    null,
  ),
});

const LabelSchema = Type.Object({
  label: Type.Integer({ description: "The label.", examples: [24_015] }),
  trafficClass: Type.Integer({ description: "The traffic class.", examples: [0] }),
  ttl: Type.Integer({ description: "The remaining time to live.", examples: [1] }),
});

const HopSchema = Type.Object(
  {
    hop_number: Type.Integer({ description: "1 for the first hop.", examples: [1] }),
    main_ip: Type.String({
      description: "The first address that responded; empty if none did.",
      examples: ["192.0.2.1"],
    }),
    main_host: Type.String({
      description: "Its reverse name; empty if there is none.",
      examples: ["router.example.net"],
    }),
    addresses: Type.Array(
      Type.Object({
        ip: Type.String({ description: "The address.", examples: ["192.0.2.1"] }),
        host: Described(NullableText, "Its reverse name.", "router.example.net"),
      }),
      { description: "All addresses that responded: several if routers balance by packet." },
    ),
    sent: Type.Integer({ description: "Number of probes sent.", examples: [3] }),
    received: Type.Integer({ description: "Number of responses.", examples: [3] }),
    loss_percentage: Type.Number({ description: "Loss in percent.", examples: [0] }),
    rtt: Type.Object(
      {
        last_ms: NullableMs("The last round trip", 1.23),
        avg_ms: NullableMs("Average", 1.1),
        best_ms: NullableMs("Lowest", 0.95),
        worst_ms: NullableMs("Highest", 1.23),
        stddev_ms: NullableMs("Standard deviation", 0.12),
      },
      { description: "Round trips in milliseconds." },
    ),
    error: Described(
      OrNull(HopErrorSchema),
      "An ICMP error other than an exceeded hop limit; otherwise `null`.",
      null,
    ),
    mpls: Type.Array(LabelSchema, { description: "MPLS labels that the hop reported." }),
  },
  { title: "TracerouteHop" },
);

const ResponseSchema = Type.Object(
  {
    hostname: Type.String({
      description: "A host name or an IP address.",
      examples: ["www.example.com"],
    }),
    resolvedIp: Described(
      NullableText,
      "The traced address; `null` if the name did not resolve.",
      "192.0.2.80",
    ),
    port: Described(OrNull(Type.Integer()), "The destination port; `null` for ICMP.", 443),
    ipFamily: Type.String({ description: "The IP family.", examples: ["IPv4"] }),
    probeProtocol: Described(
      OneOf(protocols),
      "The protocol of the probes. Not the requested one if the probe may not send TCP probes.",
      "TCP",
    ),
    protocol: Described(OneOf(protocols), "The requested protocol.", "TCP"),
    maxHops: Type.Integer({ description: "The highest number of hops to probe.", examples: [30] }),
    totalHops: Type.Integer({ description: "Number of hops in `hops`.", examples: [12] }),
    destinationReached: Type.Boolean({
      description: "Whether the target responded.",
      examples: [true],
    }),
    truncationReason: Described(
      OrNull(OneOf(traceEnds)),
      "Why the trace ended; `null` if there was none.",
      "destinationReached",
    ),
    packetLoss: Described(
      OrNull(Type.Number()),
      "Loss at the last hop in percent; `null` if there was no trace.",
      0,
    ),
    finalHopLatency: Described(
      OrNull(LatencySchema),
      "Round trips to the target in milliseconds; `null` if it was not reached.",
    ),
    timingPhases: Type.Object(
      { dns: Described(OrNull(Type.Number()), "Name resolution; `null` if unknown.", 3.1) },
      { description: "Milliseconds." },
    ),
    loop: Described(
      OrNull(
        Type.Object({
          address: Type.String({ description: "The address.", examples: ["192.0.2.1"] }),
          hops: Type.Array(Type.Integer(), { description: "Its hops.", examples: [[4, 6, 8]] }),
        }),
      ),
      "An address that responds again after another one; `null` if there is none.",
      null,
    ),
    socketMode: Described(
      OrNull(OneOf(socketModes)),
      "Whether the probe used raw sockets; `null` if there was no trace.",
      "raw",
    ),
    ignoredPackets: Type.Integer({
      description: "Packets that referred to this trace but matched none of its open probes.",
      examples: [0],
    }),
    hops: Type.Array(HopSchema, { description: "The hops in order." }),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why there was no trace; `null` if there was one.",
      null,
    ),
  },
  { title: "TracerouteResponse" },
);

export const DocumentSchema = Type.Object(
  {
    totalHops: ResponseSchema.properties.totalHops,
    destinationReached: ResponseSchema.properties.destinationReached,
    finalHopLatency: ResponseSchema.properties.finalHopLatency,
    response: Described(ResponseSchema, "The path."),
  },
  { description: "The result of a traceroute check." },
);

type TracerouteRun = Run<TracerouteRequest, TracerouteMeasurement>;

/** Result of a run as the API shows it, without the field `error`. Assertions read these fields. */
type TracerouteResponse = Omit<Type.Static<typeof ResponseSchema>, "error">;

const round = (value: number) => roundFigure(value) ?? 0;

function roundLatency(latency: Latency | null): Latency | null {
  if (latency === null) return null;
  const { avg, min, max, stdDev } = latency;
  return { avg: round(avg), min: round(min), max: round(max), stdDev: round(stdDev) };
}

function describeHop(hop: Hop, index: number, family: IpFamily): Type.Static<typeof HopSchema> {
  const latency = roundLatency(computeLatency(hop.rttsMs));
  const [main] = hop.addresses;
  return {
    hop_number: index + 1,
    main_ip: main?.address ?? "",
    main_host: main?.name ?? "",
    addresses: hop.addresses.map(({ address, name }) => ({ ip: address, host: name })),
    sent: hop.sent,
    received: hop.rttsMs.length,
    loss_percentage: round(computeLossPercent(hop)),
    rtt: {
      last_ms: roundFigure(hop.rttsMs.at(-1) ?? null),
      avg_ms: latency?.avg ?? null,
      best_ms: latency?.min ?? null,
      worst_ms: latency?.max ?? null,
      stddev_ms: latency?.stdDev ?? null,
    },
    error: hop.error && { ...hop.error, message: nameHopError(hop.error, family) },
    mpls: [...hop.labels],
  };
}

/** Builds the response document, which has the same fields for every outcome. */
export function buildResponse({
  request,
  outcome,
}: Pick<TracerouteRun, "request" | "outcome">): TracerouteResponse {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  const trouble = outcome.kind === "unreachable" ? (outcome.trouble as TracerouteTrouble) : null;
  const { hostname, port, ipFamily, protocol, maxHops } = request;
  const hops = measured?.hops ?? [];
  const isComplete = measured !== null && isReached(measured);
  // Excludes the last hop of a complete path from the search for loops. A router on the way may
  // have responded with the target's address. The later response of the target itself would then
  // look like a loop.
  const loop = findLoop(isComplete ? hops.slice(0, -1) : hops);
  return {
    hostname,
    resolvedIp: measured?.resolvedIp ?? trouble?.resolvedIp ?? null,
    port: measured?.substitute === undefined ? port : defaultPorts[measured.substitute],
    ipFamily,
    probeProtocol: measured?.substitute ?? protocol,
    protocol,
    maxHops,
    totalHops: hops.length,
    destinationReached: isComplete,
    truncationReason: measured?.end ?? null,
    packetLoss: measured && round(computeFinalLoss(measured)),
    finalHopLatency: measured && roundLatency(computeFinalLatency(measured)),
    timingPhases: { dns: measured?.dnsMs ?? trouble?.dnsMs ?? null },
    loop: loop && { ...loop, hops: [...loop.hops] },
    socketMode: measured?.mode ?? null,
    ignoredPackets: measured?.ignoredPackets ?? 0,
    hops: hops.map((hop, index) => describeHop(hop, index, ipFamily)),
  };
}

export function buildDocument(run: TracerouteRun): Type.Static<typeof DocumentSchema> {
  const response = buildResponse(run);
  const { totalHops, destinationReached, finalHopLatency } = response;
  return {
    totalHops,
    destinationReached,
    finalHopLatency,
    response: { ...response, error: toTrouble(run.outcome) },
  };
}
