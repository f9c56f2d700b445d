import { roundFigure } from "../../../kinds/round-figure.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { clipText } from "../../../platform/text/clip.ts";
import {
  describeReason,
  type ResultRow,
  type VerdictReason,
  verdictNames,
} from "../../runs/index.ts";
import type { ReasonData, ResultBrief } from "../tool-data.ts";

/** Text from outside may be long, and is shown to a model that pays for each word. */
export function clipForModel(text: string, maxLength = 300): string {
  return clipText(text, maxLength);
}

export function toReasonData(reason: VerdictReason): ReasonData {
  const text = clipForModel(describeReason(reason));
  if ("lossPercent" in reason) {
    const { name, lossPercent, limitPercent } = reason;
    return { name, text, lossPercent: roundFigure(lossPercent) ?? 0, limitPercent };
  }
  if ("responseTimeMs" in reason) {
    const { name, responseTimeMs, limitMs } = reason;
    return { name, text, responseTimeMs: roundFigure(responseTimeMs) ?? 0, limitMs };
  }
  return { name: reason.name, text };
}

const maxReasons = 10;

export function toResultBrief(row: ResultRow): ResultBrief {
  const reasons = row.reasons ?? [{ name: "all-within-limits" as const }];
  return {
    resultId: row.id,
    checkId: row.check_id,
    location: row.location,
    probeId: row.probe_id,
    startedAt: formatDateTime(row.started_at),
    verdict: verdictNames[row.verdict] ?? "unknown",
    attempt: row.attempt,
    isFinal: row.is_final,
    packetsSent: row.packets_sent,
    packetsReceived: row.packets_received,
    lossPercent: roundFigure(row.loss_percent),
    minMs: roundFigure(row.min_ms),
    avgMs: roundFigure(row.avg_ms),
    maxMs: roundFigure(row.max_ms),
    jitterMs: roundFigure(row.jitter_ms),
    reasons: reasons.slice(0, maxReasons).map(toReasonData),
  };
}
