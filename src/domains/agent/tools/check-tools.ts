import { Type } from "typebox";
import { checkTypes } from "../../../kinds/index.ts";
import { readFields } from "../../../kinds/tool-fields.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { notFound } from "../../../platform/errors.ts";
import { OneOf } from "../../../platform/http/schema.ts";
import { getCheck } from "../../checks/index.ts";
import { defineReadTool } from "../tool.ts";
import {
  type GetCheckData,
  GetCheckSchema,
  type ListChecksData,
  ListChecksSchema,
} from "../tool-shapes/check-data.ts";
import { findChecks, readStatuses, toCheckBrief } from "./check-finder.ts";
import {
  CheckReference,
  GroupReference,
  Limit,
  LocationReference,
  NamePart,
  ServiceReference,
  StatusFilter,
  Tag,
} from "./inputs.ts";
import { checkSource, limitSources } from "./sources.ts";

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
