import { Type } from "typebox";
import { listFilterFields } from "../../../checks/checks/index.ts";
import { checkTypes } from "../../../kinds/index.ts";
import { roundFigure } from "../../../kinds/kit/figures.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  answers,
  CreatedAt,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
  paging,
  sendTotal,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { type FacetCount, listSorts, slotCount } from "../../states/index.ts";
import type { StatisticsContext } from "../context.ts";
import { toAvailabilityPercent } from "../uptime.ts";
import {
  countListFacets,
  createListing,
  type FiguredPage,
  type FiguredRow,
  type ListQuery,
  listOverviews,
} from "./actions.ts";

const tags = ["Check lists"];

const OverviewQuery = Type.Object({
  ...paging,
  ...listFilterFields,
  sort: Described(
    Type.Enum([...listSorts], { type: "string", default: "name" }),
    "The sort key. `state` sorts the worst first. In accounts with more than 200 checks, " +
      "`availability` and `p95` consider closed hours only.",
  ),
  order: Described(
    Type.Enum(["asc", "desc"], { type: "string", default: "asc" }),
    "`desc` reverses the order. Checks without the figure always come last.",
  ),
});
type OverviewQuery = Type.Static<typeof OverviewQuery>;

const FacetQuery = Type.Object(listFilterFields);

const OverviewRow = Type.Object(
  {
    checkId: Described(Guid, "The check's id."),
    name: Type.String({ description: "Its name.", examples: ["Router"] }),
    target: Type.String({
      description: "The target: a host, a URL, `host:port`.",
      examples: ["192.0.2.1"],
    }),
    checkType: Described(OneOf(checkTypes), "The kind of check."),
    groupId: Described(OrNull(Type.Integer()), "The group's id; `null` if it has none.", null),
    groupName: Described(OrNull(Type.String()), "The group's name; `null` if it has none.", null),
    tags: Type.Array(Type.String(), {
      description: "The tags of the check and of its group, without duplicates.",
      examples: [["production"]],
    }),
    state: Described(
      OneOf(["failing", "degraded", "unknown", "passing", "inactive"]),
      "The current status; `inactive` if the check or its group is deactivated.",
    ),
    since: Described(
      OrNull(DateTime),
      "Start of the current status; `null` if the check never ran.",
    ),
    reason: Described(
      OrNull(Type.String()),
      "Why it is not passing, as a sentence; `null` if it is, or if the reason is unknown.",
      "60% of the packets were lost, above the limit of 20%.",
    ),
    reasonLocations: Type.Array(Type.String(), {
      description: "The locations that report this status.",
      examples: [["eu-central-1"]],
    }),
    activated: Type.Boolean({ description: "Whether the check and its group are activated." }),
    muted: Type.Boolean({ description: "Whether the check or its group is muted." }),
    lastRunAt: Described(
      OrNull(DateTime),
      "When the latest run was due; `null` if the check never ran.",
    ),
    availability: Described(
      OrNull(Type.Number()),
      "Availability of the last 24 hours in percent; `null` if no run has a verdict.",
      99.95,
    ),
    p95: Described(
      OrNull(Type.Number()),
      "95th percentile of the response time in the last 24 hours, in milliseconds.",
      24.1,
    ),
    hasEnoughData: Type.Boolean({
      description:
        "False if there are runs in the last two hours only, which is too few for figures of a day.",
      examples: [true],
    }),
    bar: Type.String({
      description:
        `The worst status in each of ${slotCount} half hours, the oldest first: ` +
        "`p` passing, `d` degraded, `f` failing, `-` no data.",
      examples: [`${"p".repeat(40)}ddffpppp`],
    }),
    created_at: CreatedAt,
  },
  { title: "CheckOverview" },
);

const OverviewPage = Type.Object(
  {
    total: Type.Integer({ description: "Number of matching checks.", examples: [1] }),
    barFrom: Described(DateTime, "Start of the first slot of every bar; a slot is 30 minutes."),
    entries: Type.Array(OverviewRow, { description: "The checks of this page." }),
  },
  { title: "CheckOverviewPage" },
);

const countsOf = (description: string, example: string) =>
  Type.Array(
    Type.Object({
      value: Type.String({ description: "The value to use in the filter.", examples: [example] }),
      label: Described(OrNull(Type.String()), "The group's name; `null` for other facets.", null),
      count: Type.Integer({ description: "Number of checks with this value.", examples: [12] }),
    }),
    { description },
  );

const FacetSchema = Type.Object(
  {
    total: Type.Integer({ description: "Number of matching checks.", examples: [12] }),
    muted: Type.Integer({ description: "Number of muted checks among them.", examples: [0] }),
    state: countsOf("By state.", "failing"),
    checkType: countsOf("By kind.", checkTypes[0] ?? ""),
    tag: countsOf("By tag.", "production"),
    groupId: countsOf("By group; 0 is no group.", "3"),
    location: countsOf("By location.", "eu-central-1"),
  },
  { title: "CheckFacets" },
);

function toListQuery(query: OverviewQuery): ListQuery {
  const { limit, page, sort, order, ...filter } = query;
  return { filter, limit, page, sort, isDescending: order === "desc" };
}

const formatOrNull = (moment: Date | null) => moment && formatDateTime(moment);

function toWireRow(row: FiguredRow) {
  return {
    checkId: row.id,
    name: row.name,
    target: row.target,
    checkType: row.kind as (typeof checkTypes)[number],
    groupId: row.groupId,
    groupName: row.groupName,
    tags: [...new Set(row.tags)],
    state: row.state,
    since: formatOrNull(row.since),
    reason: row.reason?.text ?? null,
    reasonLocations: [...(row.reason?.locations ?? [])],
    activated: row.isActive,
    muted: row.isMuted,
    lastRunAt: formatOrNull(row.lastRunAt),
    availability: row.availability === null ? null : toAvailabilityPercent(row.availability),
    p95: row.p95Ms === null ? null : roundFigure(row.p95Ms),
    hasEnoughData: row.hasEnoughData,
    bar: row.bar,
    created_at: formatDateTime(row.createdAt),
  };
}

function toWirePage({ total, barFromMs, rows }: FiguredPage) {
  return { total, barFrom: formatDateTime(new Date(barFromMs)), entries: rows.map(toWireRow) };
}

function toWireFacets(counts: readonly FacetCount[]) {
  const of = (wanted: FacetCount["facet"]) =>
    counts
      .filter(({ facet }) => facet === wanted)
      .map(({ value, label, count }) => ({ value, label, count }));
  const sum = (wanted: FacetCount["facet"]) => of(wanted)[0]?.count ?? 0;
  return {
    total: sum("total"),
    muted: sum("muted"),
    state: of("state"),
    checkType: of("checkType"),
    tag: of("tag"),
    groupId: of("groupId"),
    location: of("location"),
  };
}

export function addListingRoutes(server: HttpServer, context: StatisticsContext): void {
  const listing = createListing(context);
  server.get(
    "/v1/check-overviews",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckOverviews",
        summary: "List checks with their state, figures and a bar of the last day",
        description:
          "One page of the list. A check must match all filters, and at least one value of each. " +
          "Settings of a group apply to its checks. The total is in the response " +
          "and in `Content-Range`.",
        querystring: OverviewQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: OverviewPage }),
      },
    },
    async ({ caller, query }, reply) => {
      const found = await listOverviews(listing, caller, toListQuery(query));
      sendTotal(reply, query, found.total);
      return toWirePage(found);
    },
  );
  server.get(
    "/v1/check-overviews/facets",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "countCheckFacets",
        summary: "Count checks by state, kind, tag, group and location",
        description:
          "Each facet ignores its own filter, so you can still pick other values of the same facet. " +
          "At most 100 values per facet, those with the most checks first.",
        querystring: FacetQuery,
        response: answers({ 200: FacetSchema }),
      },
    },
    async ({ caller, query }) => toWireFacets(await countListFacets(listing, caller, query)),
  );
}
