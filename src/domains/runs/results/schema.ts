import { Type } from "typebox";
import { decodePackets } from "../../../kinds/icmp/packet-codec.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CursorPage,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { ResultRow } from "../result-store.ts";
import { verdictNames } from "../result-store.ts";
import { deriveRunId, readDueAtMs } from "../run-id.ts";

const Moment = Type.Integer({ minimum: 0, maximum: 32_503_680_000, description: "Unix seconds" });

export const ResultParams = Type.Object({
  checkId: Described(Guid, "The check's id."),
  resultId: Described(Guid, "The result's id."),
});
export const ResultsParams = Type.Object({ checkId: Described(Guid, "The check's id.") });

const filters = {
  limit: Type.Integer({
    description: "How many entries to show.",
    minimum: 1,
    maximum: 100,
    default: 10,
  }),
  location: Type.Optional(
    Type.String({ description: "Only results from this location.", maxLength: 64 }),
  ),
  checkType: Type.Optional(
    Type.String({
      description: "Only results of this kind of check, such as ICMP.",
      maxLength: 32,
    }),
  ),
  hasFailures: Type.Optional(
    Type.Boolean({ description: "Only results that failed, or only those that did not." }),
  ),
  resultType: Type.Enum(["FINAL", "ATTEMPT", "ALL"], {
    description: "Which results: those that count, attempts that were tried again, or all.",
    type: "string",
    default: "FINAL",
  }),
  from: Described(Type.Optional(Moment), "From this moment on, in Unix seconds."),
  to: Described(Type.Optional(Moment), "Before this moment, in Unix seconds."),
};

export const ResultsQuery = Type.Object({
  ...filters,
  nextId: Described(Type.Optional(Guid), "Where to go on: `nextId` of the page before."),
});

const shown = {
  id: Described(Guid, "Its id."),
  name: Type.String({ description: "The check's name.", examples: ["Router"] }),
  checkId: Described(Guid, "The check's id."),
  hasFailures: Type.Boolean({ description: "True: it failed." }),
  hasErrors: Type.Boolean({ description: "True: nothing was learned about the target." }),
  isDegraded: Type.Boolean({ description: "True: it is degraded." }),
  isCancelled: Type.Boolean({ description: "Always false." }),
  overMaxResponseTime: Type.Boolean({
    description: "True: the average round trip is above `maxResponseTime`.",
  }),
  runLocation: Type.String({ description: "Where it ran.", examples: ["eu-central-1"] }),
  probeId: Type.String({ description: "The probe that ran it.", examples: ["probe-1"] }),
  startedAt: Described(DateTime, "When it began."),
  stoppedAt: Described(DateTime, "When it ended."),
  created_at: Described(DateTime, "When it was recorded."),
  responseTime: Type.Number({
    description: "The average round trip in milliseconds; 0: nothing came back.",
    examples: [12.4],
  }),
  checkRunId: Type.Integer({
    description: "When the run was due, in Unix milliseconds.",
    examples: [1794734400000],
  }),
  attempts: Type.Integer({ description: "Which attempt it was, from 1." }),
  resultType: Described(OneOf(["FINAL", "ATTEMPT"]), "FINAL counts; ATTEMPT was tried again."),
  sequenceId: Described(Guid, "The same for all attempts of one run at one location."),
  verdict: Described(
    OneOf(["passing", "degraded", "failing", "unknown"]),
    "What the run says about the target.",
  ),
  reasons: Type.Array(
    Type.Object(
      { name: Type.String({ description: "The reason.", examples: ["all-within-limits"] }) },
      { additionalProperties: true },
    ),
    { description: "Why the verdict is as it is, by name, with the figures." },
  ),
  traceId: Type.Null({ description: "Always null." }),
  errorGroupIds: Type.Array(Type.String(), { description: "Always empty.", examples: [[]] }),
  apiCheckResult: Type.Null({ description: "Always null for a ping." }),
  browserCheckResult: Type.Null({ description: "Always null for a ping." }),
  multiStepCheckResult: Type.Null({ description: "Always null for a ping." }),
};

export const ListedResult = Type.Object(shown, { title: "Result" });
export const ResultPage = CursorPage(ListedResult);

const Nullable = OrNull(Type.Number());

export const IcmpResponseSchema = Type.Object(
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

export const WholeResult = Type.Object(
  {
    ...shown,
    icmpCheckResult: Type.Object(
      { response: Described(IcmpResponseSchema, "The figures and the packets.") },
      { description: "What a ping measured." },
    ),
  },
  { title: "IcmpResult" },
);

const allWithinLimits = [{ name: "all-within-limits" }];

export function toWireResult(row: ResultRow, name: string) {
  const verdict = verdictNames[row.verdict] ?? "unknown";
  const dueAtMs = readDueAtMs(row.id);
  const first = { checkId: row.check_id, dueAtMs, location: row.location, attempt: 1 };
  const reasons = row.reasons ?? allWithinLimits;
  return {
    id: row.id,
    name,
    checkId: row.check_id,
    hasFailures: verdict === "failing",
    hasErrors: row.trouble !== null,
    isDegraded: verdict === "degraded",
    isCancelled: false,
    overMaxResponseTime: reasons.some((reason) => reason.name === "response-time-above-max"),
    runLocation: row.location,
    probeId: row.probe_id,
    startedAt: formatDateTime(row.started_at),
    stoppedAt: formatDateTime(row.stopped_at),
    created_at: formatDateTime(row.stopped_at),
    responseTime: row.avg_ms ?? 0,
    checkRunId: dueAtMs,
    attempts: row.attempt,
    resultType: row.is_final ? ("FINAL" as const) : ("ATTEMPT" as const),
    // All attempts of a run at one place share it.
    sequenceId: row.attempt === 1 ? row.id : deriveRunId(first),
    verdict,
    reasons: reasons as { name: string }[],
    traceId: null,
    errorGroupIds: [],
    apiCheckResult: null,
    browserCheckResult: null,
    multiStepCheckResult: null,
  };
}

function toWirePackets(row: ResultRow) {
  if (!row.packets) return [];
  return decodePackets(row.packets, row.started_at.getTime()).map((packet) => ({
    sequence: packet.sequence,
    type: packet.type,
    code: packet.code,
    success: packet.rttMs !== null,
    rtt: packet.rttMs,
    ttl: packet.ttl,
    sentAt: packet.sentAtMs === null ? null : formatDateTime(new Date(packet.sentAtMs)),
  }));
}

export function toWireWholeResult(row: ResultRow, name: string) {
  return {
    ...toWireResult(row, name),
    icmpCheckResult: {
      response: {
        hostname: row.hostname,
        resolvedIp: row.resolved_ip,
        ipFamily: row.ip_family,
        pingCount: row.ping_count,
        packetsSent: row.packets_sent ?? 0,
        packetsReceived: row.packets_received ?? 0,
        packetSize: row.packet_size,
        packetLoss: row.loss_percent,
        dnsResolutionTime: row.dns_ms,
        latency: {
          avg: row.avg_ms,
          min: row.min_ms,
          max: row.max_ms,
          stdDev: row.std_dev_ms,
        },
        jitter: row.jitter_ms,
        longestLossBurst: row.loss_burst,
        duplicates: row.duplicates,
        reordered: row.reordered,
        lateReplies: row.late_replies,
        pingResults: toWirePackets(row),
        error: row.trouble,
      },
    },
  };
}
