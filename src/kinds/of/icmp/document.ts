import { Type } from "typebox";
import { toTrouble } from "../../../contract/result.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, OrNull } from "../../../platform/http/schema.ts";
import type { Run } from "../../kit/definition.ts";
import type { IcmpMeasurement, IcmpTrouble, Packet } from "./measurement.ts";
import type { IcmpRequest } from "./request.ts";

const Nullable = OrNull(Type.Number());

const ResponseSchema = Type.Object(
  {
    hostname: Type.String({
      description: "A host name or an IP address.",
      examples: ["router.example.com"],
    }),
    resolvedIp: Described(
      OrNull(Type.String()),
      "The pinged IP address; `null` if the name did not resolve.",
      "192.0.2.1",
    ),
    ipFamily: Type.String({
      description: "The IP family used to ping the host.",
      examples: ["IPv4"],
    }),
    pingCount: Type.Integer({ description: "Number of packets to send.", examples: [10] }),
    packetsSent: Type.Integer({ description: "Number of packets sent.", examples: [10] }),
    packetsReceived: Type.Integer({ description: "Number of replies received.", examples: [10] }),
    packetSize: Described(Nullable, "Packet size in bytes; `null` if none was sent.", 64),
    packetLoss: Described(Nullable, "Packet loss in percent; `null` if no packet was sent.", 0),
    dnsResolutionTime: Described(
      Nullable,
      "Name resolution time in milliseconds; near 0 if the host is an IP address, `null` if no " +
        "probe resolved it.",
      3.1,
    ),
    latency: Type.Object(
      {
        avg: Described(Nullable, "Average; `null` without replies.", 12.4),
        min: Described(Nullable, "Minimum; `null` without replies.", 11.9),
        max: Described(Nullable, "Maximum; `null` without replies.", 13.2),
        stdDev: Described(Nullable, "Standard deviation; `null` without replies.", 0.4),
      },
      { description: "Round trips in milliseconds." },
    ),
    jitter: Described(
      Nullable,
      "Jitter in milliseconds as in RFC 3550; `null` with fewer than two replies.",
      0.3,
    ),
    longestLossBurst: Described(
      Nullable,
      "Maximum number of packets lost in a row; `null` if not measured.",
      0,
    ),
    duplicates: Described(Nullable, "Duplicate replies; `null` if not measured.", 0),
    reordered: Described(Nullable, "Replies out of order; `null` if not measured.", 0),
    lateReplies: Described(
      Nullable,
      "Replies that arrived after the timeout; `null` if not measured.",
      0,
    ),
    pingResults: Type.Array(
      Type.Object({
        sequence: Type.Integer({ description: "Its number.", examples: [1] }),
        type: Described(Nullable, "ICMP type of the reply; `null` without a reply.", 0),
        code: Described(Nullable, "ICMP code of the reply; `null` without a reply.", 0),
        success: Type.Boolean({
          description: "Whether the reply arrived in time.",
          examples: [true],
        }),
        rtt: Described(Nullable, "Round trip in milliseconds; `null` without a reply.", 12.3),
        ttl: Described(Nullable, "TTL of the reply; `null` if unknown.", 57),
        sentAt: Described(OrNull(DateTime), "Time of sending; `null` if it was not sent."),
      }),
      { description: "All packets in sending order." },
    ),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why there was no measurement; `null` if there was one.",
      null,
    ),
  },
  { title: "IcmpResponse" },
);

export const explainingFields = {
  packetLoss: Described(Nullable, "Packet loss in percent; `null` if no packet was sent.", 0),
};

export const DocumentSchema = Type.Object(
  { response: Described(ResponseSchema, "Figures and packets.") },
  { description: "The result of an ICMP check." },
);

/** Result of a run as the API shows it, without the field `error`. Assertions read these fields. */
type IcmpResponse = Omit<Type.Static<typeof ResponseSchema>, "error">;

/**
 * Builds the response document. The fields are the same for every outcome, so that the JSONPath of
 * an assertion works for every run.
 */
export function buildResponse({
  request,
  outcome,
}: Pick<Run<IcmpRequest, IcmpMeasurement>, "request" | "outcome">): IcmpResponse {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  const trouble = outcome.kind === "unreachable" ? (outcome.trouble as IcmpTrouble) : null;
  const statistics = measured?.statistics;
  return {
    hostname: request.hostname,
    resolvedIp: measured?.resolvedIp ?? trouble?.resolvedIp ?? null,
    ipFamily: request.ipFamily,
    pingCount: request.pingCount,
    packetsSent: statistics?.packetsSent ?? 0,
    packetsReceived: statistics?.packetsReceived ?? 0,
    packetSize: measured?.packetSizeBytes ?? null,
    // Packet loss is `null` if no packet was sent: neither 0 nor 100 percent would be true.
    packetLoss: statistics?.packetLossPercent ?? null,
    dnsResolutionTime: measured?.dnsMs ?? trouble?.dnsMs ?? null,
    latency: {
      avg: statistics?.avgMs ?? null,
      min: statistics?.minMs ?? null,
      max: statistics?.maxMs ?? null,
      stdDev: statistics?.stdDevMs ?? null,
    },
    pingResults: measured?.packets.map(describePacket) ?? [],
    jitter: statistics?.jitterMs ?? null,
    longestLossBurst: statistics?.longestLossBurst ?? null,
    duplicates: statistics?.duplicates ?? null,
    reordered: statistics?.reordered ?? null,
    lateReplies: statistics?.lateReplies ?? null,
  };
}

export function buildDocument(
  run: Run<IcmpRequest, IcmpMeasurement>,
): Type.Static<typeof DocumentSchema> {
  return { response: { ...buildResponse(run), error: toTrouble(run.outcome) } };
}

function describePacket(packet: Packet): IcmpResponse["pingResults"][number] {
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
