import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { CursorPage, DateTime, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { decodePackets } from "../packet-codec.ts";
import type { ResultRow } from "../result-store.ts";
import { verdictNames } from "../result-store.ts";
import { deriveRunId, readDueAtMs } from "../run-id.ts";

const Moment = Type.Integer({ minimum: 0, maximum: 32_503_680_000, description: "Unix seconds" });

export const ResultParams = Type.Object({ checkId: Guid, resultId: Guid });
export const ResultsParams = Type.Object({ checkId: Guid });

const filters = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  location: Type.Optional(Type.String({ maxLength: 64 })),
  checkType: Type.Optional(Type.String({ maxLength: 32 })),
  hasFailures: Type.Optional(Type.Boolean()),
  resultType: Type.Enum(["FINAL", "ATTEMPT", "ALL"], { type: "string", default: "FINAL" }),
  from: Type.Optional(Moment),
  to: Type.Optional(Moment),
};

export const ResultsQuery = Type.Object({ ...filters, nextId: Type.Optional(Guid) });

const shown = {
  id: Guid,
  name: Type.String(),
  checkId: Guid,
  hasFailures: Type.Boolean(),
  hasErrors: Type.Boolean(),
  isDegraded: Type.Boolean(),
  isCancelled: Type.Boolean(),
  overMaxResponseTime: Type.Boolean(),
  runLocation: Type.String(),
  probeId: Type.String(),
  startedAt: DateTime,
  stoppedAt: DateTime,
  created_at: DateTime,
  responseTime: Type.Number(),
  checkRunId: Type.Integer(),
  attempts: Type.Integer(),
  resultType: OneOf(["FINAL", "ATTEMPT"]),
  sequenceId: Guid,
  verdict: OneOf(["passing", "degraded", "failing", "unknown"]),
  reasons: Type.Array(Type.Object({ name: Type.String() }, { additionalProperties: true })),
  traceId: Type.Null(),
  errorGroupIds: Type.Array(Type.String()),
  apiCheckResult: Type.Null(),
  browserCheckResult: Type.Null(),
  multiStepCheckResult: Type.Null(),
};

export const ListedResult = Type.Object(shown);
export const ResultPage = CursorPage(ListedResult);

const Nullable = OrNull(Type.Number());

export const IcmpResponseSchema = Type.Object({
  hostname: Type.String(),
  resolvedIp: OrNull(Type.String()),
  ipFamily: Type.String(),
  pingCount: Type.Integer(),
  packetsSent: Type.Integer(),
  packetsReceived: Type.Integer(),
  packetSize: Nullable,
  packetLoss: Nullable,
  dnsResolutionTime: Nullable,
  latency: Type.Object({ avg: Nullable, min: Nullable, max: Nullable, stdDev: Nullable }),
  jitter: Nullable,
  longestLossBurst: Nullable,
  duplicates: Nullable,
  reordered: Nullable,
  lateReplies: Nullable,
  pingResults: Type.Array(
    Type.Object({
      sequence: Type.Integer(),
      type: Nullable,
      code: Nullable,
      success: Type.Boolean(),
      rtt: Nullable,
      ttl: Nullable,
      sentAt: OrNull(DateTime),
    }),
  ),
  error: OrNull(Type.Object({}, { additionalProperties: true })),
});

export const WholeResult = Type.Object({
  ...shown,
  icmpCheckResult: Type.Object({ response: IcmpResponseSchema }),
});

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
