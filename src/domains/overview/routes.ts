import { parseMoment } from "../../platform/http/parse-moment.ts";
import { answers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { TrendReader } from "../statistics/index.ts";
import {
  listActivity,
  listTrends,
  listTroubleGroups,
  maxGrouped,
  readOverview,
} from "./actions.ts";
import type { OverviewContext } from "./context.ts";
import { TroubleGroupList, TroubleGroupQuery, toWireTroubleGroup } from "./group-schema.ts";
import {
  ActivityList,
  ActivityQuery,
  OverviewQuery,
  OverviewSchema,
  toWireActivity,
  toWireOverview,
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
        summary: "Read what is wrong now, why, and who was told",
        description:
          "Counts of all checks by state, the checks that are failing or degraded, open incidents " +
          "and maintenance that is under way.",
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
        summary: "Read what is wrong now by cause, group, tag or location",
        description:
          `The shape of a storm: of up to ${maxGrouped} checks that are failing or degraded, the ` +
          "largest group first. By tag and location a check is in each of its groups; those " +
          "without one come last.",
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
        summary: "List what happened lately, newest first",
        description:
          "Changes of state, maintenance that began or ended and, for those who may read the " +
          "audit log, edits: of these the newest hundred at most.",
        querystring: ActivityQuery,
        response: answers({ 200: ActivityList }),
      },
    },
    async ({ caller, query }) => {
      const dayAgoMs = context.clock.now().getTime() - dayMs;
      const from = new Date(parseMoment("from", query.from) ?? dayAgoMs);
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
        summary: "List what is getting worse",
        description:
          "Figures of the last day against those of the seven days before, of checks with at " +
          "least 50 and 200 runs, and certificates that expire within 30 days. The forty checks " +
          "whose averages and counts rose most are compared by their exact figures.",
        response: answers({ 200: TrendsSchema }),
      },
    },
    async ({ caller }) => toWireTrends(await listTrends(context, reader, caller)),
  );
}
