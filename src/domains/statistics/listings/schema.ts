import { Type } from "typebox";
import { checkTypes } from "../../../kinds/index.ts";
import { roundFigure } from "../../../kinds/round-figure.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CreatedAt,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
  paging,
} from "../../../platform/http/schema.ts";
import { ListStateSchema, listFilterFields } from "../../checks/index.ts";
import { type FacetCount, listSorts, slotCount } from "../../runs/index.ts";
import { toAvailabilityPercent } from "../uptime.ts";
import type { FiguredPage, FiguredRow, ListQuery } from "./actions.ts";

export const OverviewQuery = Type.Object({
  ...paging,
  ...listFilterFields,
  sort: Described(
    Type.Enum([...listSorts], { type: "string", default: "name" }),
    "What to sort by. `state`: the worst first. In accounts with more than 200 checks " +
      "`availability` and `p95` sort by the hours that are closed.",
  ),
  order: Described(
    Type.Enum(["asc", "desc"], { type: "string", default: "asc" }),
    "`desc`: the other way round. Checks without the figure are last either way.",
  ),
});
export type OverviewQuery = Type.Static<typeof OverviewQuery>;

export const FacetQuery = Type.Object(listFilterFields);

const OverviewRow = Type.Object(
  {
    checkId: Described(Guid, "The check's id."),
    name: Type.String({ description: "Its name.", examples: ["Router"] }),
    target: Type.String({
      description: "What it watches: a host, a URL, `host:port`.",
      examples: ["192.0.2.1"],
    }),
    checkType: Described(OneOf(checkTypes), "The kind of check."),
    groupId: Described(OrNull(Type.Integer()), "The group it is in; null: none.", null),
    groupName: Described(OrNull(Type.String()), "The name of its group; null: none.", null),
    tags: Type.Array(Type.String(), {
      description: "Its tags and its group's, each once.",
      examples: [["production"]],
    }),
    state: Described(ListStateSchema, "Its status now; `inactive`: it or its group is off."),
    since: Described(OrNull(DateTime), "Since when it has this status; null: it never ran."),
    reason: Described(
      OrNull(Type.String()),
      "Why it is not passing, as a sentence; null: it is, or nothing is known.",
      "60% of the packets were lost, above the limit of 20%.",
    ),
    reasonLocations: Type.Array(Type.String(), {
      description: "The locations that say so.",
      examples: [["eu-central-1"]],
    }),
    activated: Type.Boolean({ description: "False: it or its group is off." }),
    muted: Type.Boolean({ description: "True: it or its group is muted." }),
    lastRunAt: Described(OrNull(DateTime), "When its newest run was due; null: it never ran."),
    availability: Described(
      OrNull(Type.Number()),
      "Availability of the last 24 hours in percent; null: no run reached a verdict.",
      99.95,
    ),
    p95: Described(
      OrNull(Type.Number()),
      "The response time, in milliseconds, that 95% of the last 24 hours were within.",
      24.1,
    ),
    hasEnoughData: Type.Boolean({
      description: "False: there are runs of the last two hours only, too few to speak of a day.",
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

export const OverviewPage = Type.Object(
  {
    total: Type.Integer({ description: "How many checks the filter finds.", examples: [1] }),
    barFrom: Described(DateTime, "When the first slot of every bar begins; each is 30 minutes."),
    entries: Type.Array(OverviewRow, { description: "The checks of this page." }),
  },
  { title: "CheckOverviewPage" },
);

const countsOf = (description: string, example: string) =>
  Type.Array(
    Type.Object({
      value: Type.String({ description: "As the filter takes it.", examples: [example] }),
      label: Described(OrNull(Type.String()), "A group's name; null elsewhere.", null),
      count: Type.Integer({ description: "How many checks have it.", examples: [12] }),
    }),
    { description },
  );

export const FacetSchema = Type.Object(
  {
    total: Type.Integer({ description: "How many checks the filter finds.", examples: [12] }),
    muted: Type.Integer({ description: "How many of them are muted.", examples: [0] }),
    state: countsOf("By state.", "failing"),
    checkType: countsOf("By kind.", checkTypes[0] ?? ""),
    tag: countsOf("By tag.", "production"),
    groupId: countsOf("By group; 0: in no group.", "3"),
    location: countsOf("By location.", "eu-central-1"),
  },
  { title: "CheckFacets" },
);

export function toListQuery(query: OverviewQuery): ListQuery {
  const { limit, page, sort, order, ...filter } = query;
  return { filter, limit, page, sort, isDescending: order === "desc" };
}

const toMoment = (moment: Date | null) => moment && formatDateTime(moment);

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
    since: toMoment(row.since),
    reason: row.reason?.text ?? null,
    reasonLocations: [...(row.reason?.locations ?? [])],
    activated: row.isActive,
    muted: row.isMuted,
    lastRunAt: toMoment(row.lastRunAt),
    availability: row.availability === null ? null : toAvailabilityPercent(row.availability),
    p95: row.p95Ms === null ? null : roundFigure(row.p95Ms),
    hasEnoughData: row.hasEnoughData,
    bar: row.bar,
    created_at: formatDateTime(row.createdAt),
  };
}

export function toWirePage({ total, barFromMs, rows }: FiguredPage) {
  return { total, barFrom: formatDateTime(new Date(barFromMs)), entries: rows.map(toWireRow) };
}

export function toWireFacets(counts: readonly FacetCount[]) {
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
