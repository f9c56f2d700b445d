import { roundFigure } from "../../../kinds/figures.ts";
import type { Kind } from "../../../kinds/kind.ts";
import { describeReason } from "../../../kinds/reason-text.ts";
import { readResult } from "../../../kinds/tool-fields.ts";
import type { Reason } from "../../../kinds/verdict.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { clipText } from "../../../platform/text/clip.ts";
import { describeChannel as describeRecipient } from "../../alert-channels/index.ts";
import { type ResultRow, readRun, verdictNames } from "../../results/index.ts";
import { type ReasonData, ReasonSchema, type ResultBrief } from "../tool-shapes/check-data.ts";

/** Shortens external text, which may be long and costs tokens. */
export function clipForModel(text: string, maxLength = 300): string {
  return clipText(text, maxLength);
}

export function toReasonData(kind: Kind, reason: Reason): ReasonData {
  const text = clipForModel(describeReason(kind, reason));
  const { name, ...more } = reason;
  const figures = Object.entries(more).filter(
    ([key, value]) => Object.hasOwn(ReasonSchema.properties, key) && typeof value === "number",
  );
  return {
    name,
    text,
    ...Object.fromEntries(figures.map(([key, value]) => [key, roundFigure(Number(value)) ?? 0])),
  };
}

const maxReasons = 10;

export function toResultBrief(kind: Kind, row: ResultRow): ResultBrief {
  const reasons = row.reasons ?? [{ name: "all-within-limits" as const }];
  const { outcome } = readRun(kind, row);
  return {
    resultId: row.id,
    checkId: row.check_id,
    location: row.location,
    probeId: row.probe_id,
    startedAt: formatDateTime(row.started_at),
    verdict: verdictNames[row.verdict] ?? "unknown",
    attempt: row.attempt,
    isFinal: row.is_final,
    ...readResult(
      kind.agent.resultFields,
      outcome.kind === "measured" ? outcome.measurement : null,
    ),
    reasons: reasons.slice(0, maxReasons).map((reason) => toReasonData(kind, reason)),
  };
}

/** Hides telephone numbers, because an external model may read the text. */
export function hideNumbers(recipient: string): string {
  return clipForModel(recipient.replaceAll(/\+?\d[\d ()-]{6,}\d/g, "number hidden"));
}

/** Describes the recipient of a channel for a model. */
export function describeChannel(channel: Parameters<typeof describeRecipient>[0]): string {
  return hideNumbers(describeRecipient(channel));
}
