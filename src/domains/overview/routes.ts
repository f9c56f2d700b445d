import { answers, parseTimestamp } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { TrendReader } from "../statistics/index.ts";
import type { OverviewContext } from "./actions.ts";
import {
  listActivity,
  listTrends,
  listTroubleGroups,
  maxGrouped,
  readOverview,
} from "./actions.ts";
import {
  ActivityList,
  ActivityQuery,
  OverviewQuery,
  OverviewSchema,
  TroubleGroupList,
  TroubleGroupQuery,
  toWireActivity,
  toWireOverview,
  toWireTroubleGroup,
} from "./schema.ts";
import { TrendsSchema, toWireTrends } from "./trend-schema.ts";

const tags = ["Overview"];
const config = { access: "read" } as const;
const dayMs = 86_400_000;

export function addOverviewRoutes(server: HttpServer, context: OverviewContext): void {
  const reader = new TrendReader(context);
  server.get(
    "/v1/overview",
    {
      config,
      schema: {
        tags,
        operationId: "getOverview",
        summary: "Get current problems, their reasons and who was notified",
        description:
          "Counts of all checks by state, the failing and degraded checks, open incidents and ongoing " +
          "maintenance.",
        querystring: OverviewQuery,
        response: answers({ 200: OverviewSchema }),
      },
    },
    async ({ caller, query }) => toWireOverview(await readOverview(context, caller, query)),
  );
  server.get(
    "/v1/overview/groups",
    {
      config,
      schema: {
        tags,
        operationId: "listTroubleGroups",
        summary: "Get current problems by cause, group, tag or location",
        description:
          `Groups up to ${maxGrouped} failing or degraded checks, largest group first. By tag and ` +
          "location, a check is in each of its groups; checks without one come last.",
        querystring: TroubleGroupQuery,
        response: answers({ 200: TroubleGroupList }),
      },
    },
    async ({ caller, query }) =>
      (await listTroubleGroups(context, caller, query.by)).map(toWireTroubleGroup),
  );
  server.get(
    "/v1/overview/activity",
    {
      config,
      schema: {
        tags,
        operationId: "listActivity",
        summary: "List recent activity, newest first",
        description:
          "State changes, started and ended maintenance and, for those who may read the audit log, " +
          "at most the newest hundred edits.",
        querystring: ActivityQuery,
        response: answers({ 200: ActivityList }),
      },
    },
    async ({ caller, query }) => {
      const dayAgoMs = context.clock.now().getTime() - dayMs;
      const from = new Date(parseTimestamp("from", query.from) ?? dayAgoMs);
      const { limit } = query;
      return (await listActivity(context, caller, { from, limit })).map(toWireActivity);
    },
  );
  server.get(
    "/v1/overview/trends",
    {
      config,
      schema: {
        tags,
        operationId: "listTrends",
        summary: "List negative trends",
        description:
          "Compares the last day with the seven days before, for checks with at least 50 and 200 " +
          "runs, and lists certificates that expire within 30 days. Exact figures are compared for " +
          "the forty checks whose averages and counts rose most.",
        response: answers({ 200: TrendsSchema }),
      },
    },
    async ({ caller }) => toWireTrends(await listTrends(context, reader, caller)),
  );
}
