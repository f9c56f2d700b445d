import { Type } from "typebox";
import { formatDate, formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { ResultRow } from "../result-store.ts";
import { verdictNames } from "../result-store.ts";
import { readDueAtMs } from "../run-id.ts";
import type { StateRow } from "../state-store.ts";
import type { Decision } from "./actions.ts";

export const StatusParams = Type.Object({ checkId: Guid });

const statuses = OneOf(["passing", "degraded", "failing", "unknown"]);

const shown = {
  name: Type.String(),
  checkId: Guid,
  hasFailures: Type.Boolean(),
  hasErrors: Type.Boolean(),
  isDegraded: Type.Boolean(),
  status: statuses,
  since: DateTime,
  longestRun: OrNull(Type.Number()),
  shortestRun: OrNull(Type.Number()),
  lastRunLocation: OrNull(Type.String()),
  lastCheckRunId: OrNull(Type.String()),
  sslDaysRemaining: Type.Null(),
  created_at: Type.String({ format: "date" }),
  updated_at: OrNull(DateTime),
};

export const StatusSchema = Type.Object(shown);
export const StatusList = Type.Array(StatusSchema);

const DecidingRun = Type.Object({
  resultId: Guid,
  location: Type.String(),
  probeId: Type.String(),
  dueAt: DateTime,
  attempt: Type.Integer(),
  resultType: OneOf(["FINAL", "ATTEMPT"]),
  verdict: statuses,
  packetLoss: OrNull(Type.Number()),
  responseTime: OrNull(Type.Number()),
  reasons: Type.Array(Type.Object({ name: Type.String() }, { additionalProperties: true })),
});

export const StatusWithDecision = Type.Object({
  ...shown,
  decision: Type.Object({
    rule: OneOf(["newest-run-decides", "worst-location-decides"]),
    thresholds: Type.Object({
      degradedPacketLossThreshold: Type.Number(),
      maxPacketLossThreshold: Type.Number(),
      degradedResponseTime: OrNull(Type.Number()),
      maxResponseTime: OrNull(Type.Number()),
      assertions: Type.Integer(),
      shouldFail: Type.Boolean(),
    }),
    retryStrategy: OrNull(Type.Object({}, { additionalProperties: true })),
    consecutiveFailures: Type.Integer(),
    votes: Type.Array(
      Type.Object({ location: Type.String(), verdict: statuses, resultId: Guid, at: DateTime }),
    ),
    runs: Type.Array(DecidingRun),
  }),
});

export function toWireStatus(row: StateRow & { readonly name: string }) {
  return {
    name: row.name,
    checkId: row.check_id,
    hasFailures: row.status === "failing",
    hasErrors: row.status === "unknown",
    isDegraded: row.status === "degraded",
    status: row.status,
    since: formatDateTime(row.since),
    longestRun: row.longest_run_ms,
    shortestRun: row.shortest_run_ms,
    lastRunLocation: row.last_location,
    lastCheckRunId: row.last_result_id,
    sslDaysRemaining: null,
    created_at: formatDate(row.created_at),
    updated_at: formatDateTime(row.updated_at),
  };
}

function toWireRun(row: ResultRow) {
  return {
    resultId: row.id,
    location: row.location,
    probeId: row.probe_id,
    dueAt: formatDateTime(new Date(readDueAtMs(row.id))),
    attempt: row.attempt,
    resultType: row.is_final ? ("FINAL" as const) : ("ATTEMPT" as const),
    verdict: verdictNames[row.verdict] ?? "unknown",
    packetLoss: row.loss_percent,
    responseTime: row.avg_ms,
    reasons: (row.reasons ?? [{ name: "all-within-limits" }]) as { name: string }[],
  };
}

export function toWireDecision({ row, settings, attempts }: Decision) {
  const { retryStrategy } = settings;
  return {
    ...toWireStatus(row),
    decision: {
      rule: settings.runParallel
        ? ("worst-location-decides" as const)
        : ("newest-run-decides" as const),
      thresholds: {
        degradedPacketLossThreshold: settings.degradedPacketLossThreshold,
        maxPacketLossThreshold: settings.maxPacketLossThreshold,
        degradedResponseTime: settings.degradedResponseTime,
        maxResponseTime: settings.maxResponseTime,
        assertions: settings.request.assertions.length,
        shouldFail: settings.shouldFail,
      },
      retryStrategy: retryStrategy === null ? null : { ...retryStrategy },
      consecutiveFailures: row.consecutive_failures,
      votes: Object.entries(row.locations).map(([location, { verdict, resultId, atMs }]) => ({
        location,
        verdict,
        resultId,
        at: formatDateTime(new Date(atMs)),
      })),
      runs: attempts.map(toWireRun),
    },
  };
}
