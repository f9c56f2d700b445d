import { Type } from "typebox";
import { getCheck } from "../../checks/checks/index.ts";
import { checkTypes, defaultType, kinds } from "../../kinds/index.ts";
import { readFields } from "../../kinds/kit/tool-fields.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { notFound } from "../../platform/errors.ts";
import { OneOf } from "../../platform/http/schema.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import {
  type ExplainedState,
  listOwnStateChanges,
  overviewStatuses,
} from "../../runs/states/index.ts";
import { describeSharedHops } from "../../screens/overview/index.ts";
import type { AgentContext } from "../context.ts";
import { defineReadTool, type Source } from "../tool.ts";
import {
  type GetCheckData,
  GetCheckSchema,
  type GetStatusData,
  GetStatusSchema,
  type ListChecksData,
  ListChecksSchema,
  type ListStateChangesData,
  ListStateChangesSchema,
  type StatusData,
} from "../tool-shapes/check-data.ts";
import { findChecks, findNamedChecks, readStatuses, toCheckBrief } from "./check-finder.ts";
import { toResultBrief } from "./result-tools.ts";
import {
  CheckReference,
  CheckReferences,
  checkSource,
  From,
  formatMs,
  GroupReference,
  Limit,
  LocationReference,
  limitSources,
  NamePart,
  parseSpan,
  resultSource,
  ServiceReference,
  StatusFilter,
  Tag,
  To,
} from "./sources.ts";

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
    // Failing checks can share a hop only if there are at least two of them.
    const mayShare = named === undefined && counts.failing > 1;
    const data: GetStatusData = {
      counts,
      total,
      checks,
      sharedHops: mayShare ? await describeSharedHops(context, caller) : [],
      notFound: named?.notFound ?? [],
    };
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

export const listChecksTool = defineReadTool({
  name: "list_checks",
  title: "List checks",
  description:
    "Checks of the account with their current status, by part of the name, tag, kind, status, " +
    "location, group or service.",
  InputSchema: Type.Object(
    {
      name: Type.Optional(NamePart),
      tag: Type.Optional(Tag),
      checkType: Type.Optional({
        ...OneOf(checkTypes),
        description: "Only checks of this kind.",
      }),
      status: Type.Optional(StatusFilter("Only checks with this current status.")),
      location: Type.Optional(LocationReference),
      groupId: Type.Optional(GroupReference),
      serviceId: Type.Optional(ServiceReference),
      limit: Type.Optional(Limit(200, 50)),
    },
    { additionalProperties: false },
  ),
  DataSchema: ListChecksSchema,
  run: async (context, caller, { limit = 50, ...filter }) => {
    const found = await findChecks(context, caller, filter);
    const checks = found.slice(0, limit);
    const data: ListChecksData = { checks, total: found.length };
    return { data, sources: limitSources(checks.map((check) => checkSource(context, check))) };
  },
});

export const getCheckTool = defineReadTool({
  name: "get_check",
  title: "Show a check",
  description: "One check: its target, frequency, locations, and conditions for failing.",
  InputSchema: Type.Object({ checkId: CheckReference }, { additionalProperties: false }),
  DataSchema: GetCheckSchema,
  run: async (context, caller, { checkId }) => {
    const check = await getCheck(context, caller, checkId);
    const watched = (await context.watchList.find([check.id])).get(check.id);
    if (watched === undefined) throw notFound();
    const statusOf = await readStatuses(context, caller);
    const { kind, settings } = watched;
    const { retryStrategy } = settings;
    const data: GetCheckData = {
      ...toCheckBrief({ ...check, status: statusOf(check) }, watched),
      ...readFields(kind.agent.checkFields, settings),
      shouldFail: settings.shouldFail,
      runParallel: settings.runParallel,
      degradedResponseTimeMs: settings.degradedResponseTime,
      maxResponseTimeMs: settings.maxResponseTime,
      assertions: kind.listAssertions(settings).map(({ source, property, comparison, target }) => ({
        source,
        property,
        comparison,
        target,
      })),
      retryStrategy: retryStrategy === null ? null : { ...retryStrategy },
      createdAt: formatDateTime(check.createdAt),
      updatedAt: check.updatedAt && formatDateTime(check.updatedAt),
    };
    return { data, sources: [checkSource(context, data)] };
  },
});
