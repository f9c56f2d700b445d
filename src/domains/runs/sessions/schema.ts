import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { ResultRow } from "../result-store.ts";
import { verdictNames } from "../result-store.ts";
import { type SessionReport, sessionStatuses } from "./session.ts";

export const TriggerBody = Type.Object({
  target: Type.Object({
    checkId: Type.Optional(Type.Array(Guid, { minItems: 1, maxItems: 100 })),
    matchTags: Type.Optional(
      Type.Array(Type.Array(Type.String({ maxLength: 255 }), { minItems: 1, maxItems: 20 }), {
        minItems: 1,
        maxItems: 20,
      }),
    ),
  }),
});
export const SessionParams = Type.Object({ checkSessionId: Guid });
export const CompletionQuery = Type.Object({
  maxWaitSeconds: Type.Integer({ minimum: 1, maximum: 30, default: 30 }),
});

const SessionResult = Type.Object({
  checkResultId: Guid,
  checkResultLink: Type.String(),
  checkId: Guid,
  checkType: OneOf(["ICMP"]),
  name: Type.String(),
  runLocation: Type.String(),
  resultType: OneOf(["FINAL", "ATTEMPT"]),
  hasErrors: Type.Boolean(),
  hasFailures: Type.Boolean(),
  isDegraded: Type.Boolean(),
  aborted: Type.Boolean(),
  isCancelled: Type.Boolean(),
  responseTime: OrNull(Type.Number()),
  startedAt: DateTime,
  stoppedAt: DateTime,
});

export const SessionSchema = Type.Object({
  checkSessionId: Guid,
  checkSessionLink: Type.String(),
  checkId: Guid,
  checkType: OneOf(["ICMP"]),
  name: Type.String(),
  status: OneOf(sessionStatuses),
  startedAt: DateTime,
  stoppedAt: OrNull(DateTime),
  timeElapsed: Type.Number(),
  runLocations: Type.Array(Type.String()),
  runSource: OneOf(["TRIGGER_API"]),
  results: Type.Array(SessionResult),
});
export const TriggerAnswer = Type.Object({ sessions: Type.Array(SessionSchema) });

function toWireResult(row: ResultRow, name: string) {
  const verdict = verdictNames[row.verdict] ?? "unknown";
  return {
    checkResultId: row.id,
    checkResultLink: `/v1/check-results/${row.check_id}/${row.id}`,
    checkId: row.check_id,
    checkType: "ICMP" as const,
    name,
    runLocation: row.location,
    resultType: row.is_final ? ("FINAL" as const) : ("ATTEMPT" as const),
    hasErrors: row.trouble !== null,
    hasFailures: verdict === "failing",
    isDegraded: verdict === "degraded",
    aborted: false,
    isCancelled: false,
    responseTime: row.avg_ms,
    startedAt: formatDateTime(row.started_at),
    stoppedAt: formatDateTime(row.stopped_at),
  };
}

export function toWireSession({ session, name, status, results, elapsedMs }: SessionReport) {
  const isOver = status !== "STARTED" && status !== "PROGRESS";
  const last = results.at(-1);
  return {
    checkSessionId: session.id,
    checkSessionLink: `/v2/check-sessions/${session.id}`,
    checkId: session.checkId,
    checkType: "ICMP" as const,
    name,
    status,
    startedAt: formatDateTime(session.startedAt),
    stoppedAt: isOver && last !== undefined ? formatDateTime(last.stopped_at) : null,
    timeElapsed: elapsedMs,
    runLocations: [...session.locations],
    runSource: "TRIGGER_API" as const,
    results: results.map((row) => toWireResult(row, name)),
  };
}
