import { Type } from "typebox";
import { toTrouble } from "../../contract/result.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, OrNull } from "../../platform/http/schema.ts";
import type { Run } from "../kind.ts";
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
      "The address that was pinged; null: the name did not resolve.",
      "192.0.2.1",
    ),
    ipFamily: Type.String({
      description: "Which address of the host was pinged.",
      examples: ["IPv4"],
    }),
    pingCount: Type.Integer({ description: "How many packets were to be sent.", examples: [10] }),
    packetsSent: Type.Integer({ description: "How many packets were sent.", examples: [10] }),
    packetsReceived: Type.Integer({ description: "How many came back.", examples: [10] }),
    packetSize: Described(Nullable, "Bytes of a packet; null: none was sent.", 64),
    packetLoss: Described(Nullable, "Lost packets in percent; null: nothing was sent.", 0),
    dnsResolutionTime: Described(
      Nullable,
      "Milliseconds to resolve the name; null: an address was given.",
      3.1,
    ),
    latency: Type.Object(
      {
        avg: Described(Nullable, "The mean; null: nothing came back.", 12.4),
        min: Described(Nullable, "The shortest; null: nothing came back.", 11.9),
        max: Described(Nullable, "The longest; null: nothing came back.", 13.2),
        stdDev: Described(Nullable, "The standard deviation; null: nothing came back.", 0.4),
      },
      { description: "Round trips in milliseconds." },
    ),
    jitter: Described(
      Nullable,
      "Jitter in milliseconds as in RFC 3550; null: too few packets.",
      0.3,
    ),
    longestLossBurst: Described(Nullable, "The most packets lost in a row; null: not measured.", 0),
    duplicates: Described(Nullable, "Replies that came twice; null: not measured.", 0),
    reordered: Described(Nullable, "Replies out of order; null: not measured.", 0),
    lateReplies: Described(Nullable, "Replies that came too late to count; null: not measured.", 0),
    pingResults: Type.Array(
      Type.Object({
        sequence: Type.Integer({ description: "Its number.", examples: [1] }),
        type: Described(Nullable, "The ICMP type of the answer; null: none came.", 0),
        code: Described(Nullable, "The ICMP code of the answer; null: none came.", 0),
        success: Type.Boolean({ description: "Whether its reply came in time.", examples: [true] }),
        rtt: Described(Nullable, "The round trip in milliseconds; null: no reply.", 12.3),
        ttl: Described(Nullable, "The TTL of the reply; null: not known.", 57),
        sentAt: Described(OrNull(DateTime), "When it was sent; null: it was not."),
      }),
      { description: "Every packet, in the order of sending." },
    ),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why nothing was learned, or the name did not resolve; null: no such trouble.",
      null,
    ),
  },
  { title: "IcmpResponse" },
);

export const explainingFields = {
  packetLoss: Described(Nullable, "Lost packets in percent; null: nothing was sent.", 0),
};

export const DocumentSchema = Type.Object(
  { response: Described(ResponseSchema, "The figures and the packets.") },
  { description: "What a ping measured." },
);

/** What a run found, in the words of the public API. Assertions read it, and replies carry it. */
export type IcmpResponse = Omit<Type.Static<typeof ResponseSchema>, "error">;

/** The same fields whatever happened, so that a JSONPath means the same for every run. */
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
    // Where nothing was sent, nothing can be lost.
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
