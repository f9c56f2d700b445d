import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import {
  answers,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
  parseTimestamp,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { TrendReader } from "../../runs/statistics/index.ts";
import {
  listActivity,
  listTrends,
  listTroubleGroups,
  maxGrouped,
  type OverviewContext,
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
import { addSharedHopsRoute } from "./shared-hops.ts";

const tags = ["Overview"];
const dayMs = 86_400_000;

const TrendSchema = Type.Object(
  {
    type: Described(
      OneOf(["latency", "loss", "failures", "certificate"]),
      "Slower, more packet loss, fewer passing runs, or an expiring certificate.",
    ),
    checkId: Described(Guid, "The check's id."),
    name: Type.String({ description: "The check's name.", examples: ["checkout"] }),
    earlier: Described(
      OrNull(Type.Number()),
      "Figure of the seven days before: P95 in milliseconds or percent; `null` for a certificate.",
      180,
    ),
    recent: Type.Number({
      description: "Figure of the last day; for a certificate the remaining days.",
      examples: [240],
    }),
    unit: Described(OneOf(["milliseconds", "percent", "days"]), "Unit of the figures."),
    runs: Described(
      OrNull(Type.Integer()),
      "Runs of the last day; `null` for a certificate.",
      1_440,
    ),
    host: Described(
      OrNull(Type.String()),
      "Host of the certificate; `null` if there is none.",
      "shop.example",
    ),
    expiresAt: Described(
      OrNull(DateTime),
      "When the certificate expires; `null` if there is none.",
    ),
  },
  { title: "Trend" },
);

const TrendsSchema = Type.Object(
  {
    asOf: Described(DateTime, "End of the last day; updated every ten minutes."),
    trends: Type.Array(TrendSchema, {
      description: "Certificates by expiry, then figures by the largest increase.",
    }),
  },
  { title: "Trends" },
);

function toWireTrends({ trends, certificates, now, asOf }: Awaited<ReturnType<typeof listTrends>>) {
  return {
    asOf: formatDateTime(asOf),
    trends: [
      ...certificates.map(({ checkId, name, host, expiresAt }) => ({
        type: "certificate" as const,
        checkId,
        name,
        earlier: null,
        recent: Math.floor((expiresAt.getTime() - now.getTime()) / dayMs),
        unit: "days" as const,
        runs: null,
        host,
        expiresAt: formatDateTime(expiresAt),
      })),
      ...trends.map((trend) => ({
        ...trend,
        unit: trend.type === "latency" ? ("milliseconds" as const) : ("percent" as const),
        host: null,
        expiresAt: null,
      })),
    ],
  };
}
const config = { access: "read" } as const;

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
  addSharedHopsRoute(server, context);
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
