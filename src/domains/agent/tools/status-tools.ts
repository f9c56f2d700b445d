import { Type } from "typebox";
import { defaultType, kinds } from "../../../kinds/index.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import type { Watched } from "../../schedule/index.ts";
import { type ExplainedState, listOwnStateChanges, overviewStatuses } from "../../states/index.ts";
import type { AgentContext } from "../context.ts";
import { defineReadTool, type Source } from "../tool.ts";
import {
  type GetStatusData,
  GetStatusSchema,
  type ListStateChangesData,
  ListStateChangesSchema,
  type StatusData,
} from "../tool-shapes/check-data.ts";
import { findNamedChecks } from "./check-finder.ts";
import { CheckReference, CheckReferences, From, formatMs, parseSpan, To } from "./inputs.ts";
import { toResultBrief } from "./result-data.ts";
import { checkSource, limitSources, resultSource } from "./sources.ts";

const maxStatuses = 50;
const maxChanges = 100;

function toStatusData(
  { checkId, name, state, troubles }: ExplainedState,
  watched: Watched | undefined,
): StatusData {
  const { kind = kinds[defaultType], settings } = watched ?? {};
  return {
    checkId,
    checkType: kind.type,
    name,
    status: state?.status ?? "unknown",
    since: state && formatDateTime(state.since),
    activated: settings?.activated ?? true,
    muted: settings?.muted ?? false,
    consecutiveFailures: state?.consecutive_failures ?? 0,
    lastRunAt: state && formatDateTime(state.last_due_at),
    lastRunLocation: state?.last_location ?? null,
    locations: Object.entries(state?.locations ?? {}).map(([location, vote]) => ({
      location,
      verdict: vote.verdict,
      resultId: vote.resultId,
      at: formatMs(vote.atMs),
    })),
    why: troubles.map((row) => toResultBrief(kind, row)),
  };
}

function sourcesOf(context: AgentContext, checks: readonly StatusData[]): Source[] {
  return limitSources(
    checks.flatMap((check) => [
      checkSource(context, check),
      ...check.why.map((result) => resultSource(context, result)),
    ]),
  );
}

export const getStatusTool = defineReadTool({
  name: "get_status",
  title: "Show status",
  description:
    "Current status of checks, since when, and why, with the newest failed results. Without " +
    "checkIds: the worst of all checks, and counts by status.",
  InputSchema: Type.Object(
    { checkIds: Type.Optional(CheckReferences(maxStatuses)) },
    { additionalProperties: false },
  ),
  DataSchema: GetStatusSchema,
  run: async (context, caller, { checkIds }) => {
    const named = checkIds && (await findNamedChecks(context, caller, checkIds));
    const ownIds = named?.checks.map(({ checkId }) => checkId) ?? null;
    const query = { checkIds: ownIds, limit: maxStatuses };
    const { counts, states } = await overviewStatuses(context, caller, query);
    const watched = await context.watchList.find(states.map(({ checkId }) => checkId));
    const checks = states.map((state) => toStatusData(state, watched.get(state.checkId)));
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const data: GetStatusData = { counts, total, checks, notFound: named?.notFound ?? [] };
    return { data, sources: sourcesOf(context, checks) };
  },
});

export const listStateChangesTool = defineReadTool({
  name: "list_state_changes",
  title: "List status changes",
  description: "Status changes of checks between two times, newest first.",
  InputSchema: Type.Object(
    { checkId: Type.Optional(CheckReference), from: From, to: Type.Optional(To) },
    { additionalProperties: false },
  ),
  DataSchema: ListStateChangesSchema,
  run: async (context, caller, { checkId, from, to = formatDateTime(context.clock.now()) }) => {
    const span = parseSpan(from, to);
    const changes = await listOwnStateChanges(context, caller, {
      checkId: checkId ?? null,
      from: new Date(span.fromMs),
      to: new Date(span.toMs),
      limit: maxChanges + 1,
    });
    const shown = changes.slice(0, maxChanges);
    const data: ListStateChangesData = {
      from: formatMs(span.fromMs),
      to: formatMs(span.toMs),
      changes: shown.map((change) => ({
        checkId: change.checkId,
        name: change.name,
        fromStatus: change.from,
        toStatus: change.to,
        at: formatDateTime(change.at),
        resultId: change.resultId,
      })),
      isTruncated: changes.length > maxChanges,
    };
    const sources = shown.flatMap(({ checkId: id, name }) =>
      name === null ? [] : [checkSource(context, { checkId: id, name })],
    );
    return { data, sources: limitSources(sources) };
  },
});
