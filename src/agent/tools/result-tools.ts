import { Type } from "typebox";
import { describeChannel as describeRecipient } from "../../channels/alert-channels/index.ts";
import { allKinds, kinds } from "../../kinds/index.ts";
import { roundFigure } from "../../kinds/kit/figures.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import { summarizePaths } from "../../kinds/kit/paths/compare-paths.ts";
import { readFields, readResult } from "../../kinds/kit/tool-fields.ts";
import type { Reason } from "../../kinds/kit/verdict.ts";
import { describeReason } from "../../kinds/kit/verdict.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { Guid } from "../../platform/http/schema.ts";
import { clipText } from "../../platform/text/clip.ts";
import {
  findPathBetween,
  getResult,
  listCheckResults,
  type ResultRow,
  readDueAtMs,
  readRun,
  verdictNames,
} from "../../runs/results/index.ts";
import { defineReadTool } from "../tool.ts";
import {
  type GetResultData,
  GetResultSchema,
  type ListResultsData,
  ListResultsSchema,
  type ReasonData,
  ReasonSchema,
  type ResultBrief,
} from "../tool-shapes/check-data.ts";
import {
  CheckReference,
  checkSource,
  From,
  formatMs,
  Limit,
  limitSources,
  parseSpan,
  resultSource,
  StatusFilter,
  To,
} from "./sources.ts";

/** Truncates text from other hosts or users, because long text costs tokens. */
export function clipForModel(text: string, maxLength = 300): string {
  return clipText(text, maxLength);
}

function toReasonData(kind: Kind, reason: Reason): ReasonData {
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

/** Describes the recipient of an alert channel for a model, without telephone numbers. */
export function describeChannel(channel: Parameters<typeof describeRecipient>[0]): string {
  return hideNumbers(describeRecipient(channel));
}

export const listResultsTool = defineReadTool({
  name: "list_results",
  title: "List runs",
  description: "Runs of a check between two times, newest first, each with its reasons.",
  InputSchema: Type.Object(
    {
      checkId: CheckReference,
      from: From,
      to: Type.Optional(To),
      verdict: Type.Optional(StatusFilter("Only runs with this verdict.")),
      limit: Type.Optional(Limit(100, 20)),
    },
    { additionalProperties: false },
  ),
  DataSchema: ListResultsSchema,
  run: async (context, caller, { checkId, from, verdict, limit = 20, ...more }) => {
    const { to = formatDateTime(context.clock.now()) } = more;
    const { fromMs, toMs } = parseSpan(from, to);
    const { check, rows } = await listCheckResults(context, caller, {
      checkId,
      from: fromMs / 1_000,
      to: toMs / 1_000,
      resultType: "FINAL",
      verdict,
      limit: limit + 1,
    });
    const results = rows.slice(0, limit).map((row) => toResultBrief(kinds[check.kind], row));
    const { name } = check.settings;
    const data: ListResultsData = {
      checkId: check.id,
      checkType: check.kind,
      name,
      from: formatMs(fromMs),
      to: formatMs(toMs),
      results,
      isTruncated: rows.length > limit,
    };
    const cited = results.map((result) => resultSource(context, result));
    const sources = limitSources([checkSource(context, { checkId: check.id, name }), ...cited]);
    return { data, sources };
  },
});

/**
 * Returns a probe's error message. Its text is truncated, because it may come from another host.
 */
function describeTrouble(trouble: ResultRow["trouble"]): Record<string, unknown> | null {
  if (trouble === null) return null;
  return Object.fromEntries(
    Object.entries(trouble).map(([key, value]) => [
      key,
      typeof value === "string" ? clipForModel(value) : value,
    ]),
  );
}

const runHints = allKinds.map(({ agent }) => agent.hints.run).join("; ");

export const getResultTool = defineReadTool({
  name: "get_result",
  title: "Show a run",
  description: `One run of a check in full, ${runHints}.`,
  InputSchema: Type.Object(
    {
      checkId: CheckReference,
      resultId: Type.String({ ...Guid, description: "The run: its resultId, from list_results." }),
    },
    { additionalProperties: false },
  ),
  DataSchema: GetResultSchema,
  run: async (context, caller, ids) => {
    const { check, row } = await getResult(context, caller, ids);
    const kind = kinds[check.kind];
    const brief = toResultBrief(kind, row);
    const { name } = check.settings;
    const dueAtMs = readDueAtMs(row.id);
    const due = { fromMs: dueAtMs, toMs: dueAtMs + 1 };
    const path = await findPathBetween(context.db, check.id, due);
    const data: GetResultData = {
      ...brief,
      checkType: check.kind,
      name,
      ...readFields(kind.agent.runFields, readRun(kind, row)),
      trouble: describeTrouble(row.trouble),
      path: path && clipForModel(summarizePaths(path)),
    };
    const sources = [
      checkSource(context, { checkId: check.id, name }),
      resultSource(context, brief),
    ];
    return { data, sources };
  },
});
