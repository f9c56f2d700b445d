import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { allKinds, defaultType, isCheckType, kinds } from "../../kinds/index.ts";
import { roundFigure } from "../../kinds/kit/figures.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import { readFields } from "../../kinds/kit/tool-fields.ts";
import { formatDateTime } from "../../platform/dates.ts";
import {
  alignWindow,
  type CheckSummary,
  summariseByLocation,
  summariseChecks,
  toAvailabilityPercent,
} from "../../runs/statistics/index.ts";
import type { AgentContext } from "../context.ts";
import { defineReadTool } from "../tool.ts";
import {
  type CheckFigures,
  type CompareWindowsData,
  CompareWindowsSchema,
  type Figures,
  type GetStatisticsData,
  GetStatisticsSchema,
} from "../tool-shapes/check-data.ts";
import { type CheckFilter, findChecks, findNamedChecks, type NamedCheck } from "./check-finder.ts";
import {
  CheckReferences,
  checkSource,
  From,
  formatMs,
  GroupReference,
  limitSources,
  parseSpan,
  ServiceReference,
  type SpanMs,
  Tag,
  TimeInput,
  To,
} from "./sources.ts";

const maxChecks = 200;
const maxByLocation = 20;

interface Chosen {
  readonly checks: readonly NamedCheck[];
  readonly total: number;
  readonly notFound: readonly string[];
}

async function chooseChecks(
  context: AgentContext,
  caller: Caller,
  filter: CheckFilter & { readonly checkIds?: readonly string[] | undefined },
): Promise<Chosen> {
  if (filter.checkIds !== undefined) {
    const { checks, notFound } = await findNamedChecks(context, caller, filter.checkIds);
    return { checks, total: checks.length, notFound };
  }
  const found = await findChecks(context, caller, filter);
  const checks = found
    .slice(0, maxChecks)
    .map(({ checkId, checkType, name, tags }) => ({ checkId, checkType, name, tags }));
  return { checks, total: found.length, notFound: [] };
}

function toFigures(kind: Kind, summary: CheckSummary): Figures {
  const { runs, availability, averages, latencyMs } = summary;
  return {
    runs,
    availabilityPercent: availability === null ? null : toAvailabilityPercent(availability),
    ...readFields(kind.agent.figureFields, averages),
    latencyMs: {
      avg: roundFigure(latencyMs.avg),
      p50: roundFigure(latencyMs.p50),
      p95: roundFigure(latencyMs.p95),
      p99: roundFigure(latencyMs.p99),
      max: roundFigure(latencyMs.max),
    },
  };
}

function kindOf(check: Pick<NamedCheck, "checkType"> | undefined): Kind {
  const type = check?.checkType ?? defaultType;
  return kinds[isCheckType(type) ? type : defaultType];
}

/** Returns the statistics of each check, in the order of `checks`. */
async function figureOut(
  context: AgentContext,
  checks: readonly NamedCheck[],
  window: SpanMs,
): Promise<Figures[]> {
  if (checks.length === 0) return [];
  const ids = checks.map(({ checkId }) => checkId);
  const summaries = await summariseChecks(context, ids, window);
  return summaries.map((one, place) => toFigures(kindOf(checks[place]), one));
}

async function addLocations(
  context: AgentContext,
  caller: Caller,
  { checks, window }: { readonly checks: readonly CheckFigures[]; readonly window: SpanMs },
): Promise<CheckFigures[]> {
  const split: CheckFigures[] = [];
  for (const [place, check] of checks.entries()) {
    if (place >= maxByLocation) {
      split.push(check);
      continue;
    }
    const { checkId } = check;
    const summaries = await summariseByLocation(context, caller, { checkId, window });
    const kind = kindOf(check);
    const byLocation = summaries.map((one) => ({
      location: one.location,
      ...toFigures(kind, one),
    }));
    split.push({ ...check, byLocation });
  }
  return split;
}

const figureHints = allKinds.map(({ agent }) => agent.hints.figures).join(", ");

export const getStatisticsTool = defineReadTool({
  name: "get_statistics",
  title: "Show statistics",
  description:
    "Availability, response times (average, P50, P95, P99) and kind-specific figures " +
    `(${figureHints}) of checks between two times: of the given checks, of a tag, a group or a ` +
    "service, or of all; byLocation for each location.",
  InputSchema: Type.Object(
    {
      checkIds: Type.Optional(CheckReferences(maxChecks)),
      tag: Type.Optional(Tag),
      groupId: Type.Optional(GroupReference),
      serviceId: Type.Optional(ServiceReference),
      from: From,
      to: Type.Optional(To),
      byLocation: Type.Optional(
        Type.Boolean({ description: "Include figures of each location of a check." }),
      ),
    },
    { additionalProperties: false },
  ),
  DataSchema: GetStatisticsSchema,
  run: async (context, caller, { from, to, byLocation, ...filter }) => {
    const window = parseSpan(from, to ?? formatDateTime(context.clock.now()));
    const { checks: chosen, total, notFound } = await chooseChecks(context, caller, filter);
    const figures = await figureOut(context, chosen, window);
    const whole = chosen.flatMap((check, place): CheckFigures[] => {
      const own = figures[place];
      return own === undefined ? [] : [{ ...check, ...own }];
    });
    const checks = byLocation
      ? await addLocations(context, caller, { checks: whole, window })
      : whole;
    const aligned = alignWindow(window, context.clock.now().getTime());
    const data: GetStatisticsData = {
      from: formatMs(aligned.fromMs),
      to: formatMs(aligned.toMs),
      checks,
      total,
      notFound,
    };
    return { data, sources: limitSources(checks.map((check) => checkSource(context, check))) };
  },
});

function subtract(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : roundFigure(now - before);
}

/**
 * Returns how the statistics that are specific to a check kind, such as packet loss, differ between
 * two periods.
 */
function subtractOwn(kind: Kind, now: object, before: object) {
  const read = (figures: object, name: string) =>
    (figures as Readonly<Record<string, number | null>>)[name] ?? null;
  return Object.fromEntries(
    Object.keys(kind.agent.figureFields).map((name) => [
      name,
      subtract(read(now, name), read(before, name)),
    ]),
  );
}

function compare(check: NamedCheck, now: Figures, before: Figures) {
  return {
    checkId: check.checkId,
    checkType: check.checkType,
    name: check.name,
    now,
    before,
    change: {
      availabilityPercent: subtract(now.availabilityPercent, before.availabilityPercent),
      latencyAvgMs: subtract(now.latencyMs.avg, before.latencyMs.avg),
      latencyP95Ms: subtract(now.latencyMs.p95, before.latencyMs.p95),
      ...subtractOwn(kindOf(check), now, before),
    },
  };
}

export const compareWindowsTool = defineReadTool({
  name: "compare_windows",
  title: "Compare two periods",
  description: "Statistics of checks in two periods, and the differences.",
  InputSchema: Type.Object(
    {
      checkIds: Type.Optional(CheckReferences(maxChecks)),
      from: TimeInput("Start of the later period"),
      to: TimeInput("End of the later period"),
      previousFrom: TimeInput("Start of the earlier period"),
      previousTo: TimeInput("End of the earlier period"),
    },
    { additionalProperties: false },
  ),
  DataSchema: CompareWindowsSchema,
  run: async (context, caller, input) => {
    const window = parseSpan(input.from, input.to);
    const keys = { from: "previousFrom", to: "previousTo" };
    const previous = parseSpan(input.previousFrom, input.previousTo, keys);
    const { checkIds } = input;
    const { checks: chosen, total, notFound } = await chooseChecks(context, caller, { checkIds });
    const now = await figureOut(context, chosen, window);
    const before = await figureOut(context, chosen, previous);
    const nowMs = context.clock.now().getTime();
    const [aligned, earlier] = [alignWindow(window, nowMs), alignWindow(previous, nowMs)];
    const data: CompareWindowsData = {
      from: formatMs(aligned.fromMs),
      to: formatMs(aligned.toMs),
      previousFrom: formatMs(earlier.fromMs),
      previousTo: formatMs(earlier.toMs),
      checks: chosen.flatMap((check, place) => {
        const [one, other] = [now[place], before[place]];
        return one === undefined || other === undefined ? [] : [compare(check, one, other)];
      }),
      total,
      notFound,
    };
    return { data, sources: limitSources(chosen.map((check) => checkSource(context, check))) };
  },
});
