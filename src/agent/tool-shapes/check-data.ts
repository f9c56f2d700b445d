import { Type } from "typebox";
import { allKinds, gatherFields } from "../../kinds/index.ts";
import { schemasOf } from "../../kinds/kit/tool-fields.ts";
import { OneOf } from "../../platform/http/schema.ts";
import { count, type DataOf, figure, flag, listOf, orNull, shape, text, time } from "../tool.ts";

export const StatusName = OneOf(["passing", "degraded", "failing", "unknown"]);
export type CheckStatusName = DataOf<typeof StatusName>;

export const CheckId = text("the id of a check");

const CheckType = text("the kind of check");

const briefFields = {
  checkId: CheckId,
  checkType: CheckType,
  name: text(),
  hostname: text("target: a host name or an address"),
  status: StatusName,
  activated: flag("false: it is paused"),
  muted: flag("true: it sends no alerts"),
  tags: listOf(text(), "including those of its group"),
  locations: listOf(text(), "every location it runs from, including the default"),
  everySeconds: Type.Number({ description: "seconds between runs" }),
};
const CheckBriefSchema = shape(briefFields);
export type CheckBrief = DataOf<typeof CheckBriefSchema>;

export const ListChecksSchema = shape({
  checks: listOf(CheckBriefSchema, "the first matches, in order of creation"),
  total: count("number of matches"),
});
export type ListChecksData = DataOf<typeof ListChecksSchema>;

const AssertionData = shape({
  source: text(),
  property: text(),
  comparison: text(),
  target: text(),
});

export const GetCheckSchema = shape({
  ...briefFields,
  ...gatherFields(({ agent }) => schemasOf(agent.checkFields)),
  shouldFail: flag("true: the check passes when the host does not respond"),
  runParallel: flag("true: all locations run at once; false: in turn"),
  degradedResponseTimeMs: figure("response time above which a run is degraded"),
  maxResponseTimeMs: figure("response time above which a run is failing"),
  assertions: listOf(AssertionData, "additional conditions"),
  retryStrategy: orNull(Type.Record(Type.String(), Type.Unknown())),
  createdAt: time("creation time"),
  updatedAt: orNull(time("time of the last change")),
});
export type GetCheckData = DataOf<typeof GetCheckSchema>;

export const ReasonSchema = shape(
  {
    name: text("such as response-time-above-max, assertion-failed, or one of its kind"),
    text: text("the reason as a sentence"),
    ...gatherFields(({ agent }) => agent.reasonFields),
    responseTimeMs: Type.Optional(Type.Number()),
    limitMs: Type.Optional(Type.Number()),
  },
  "a named reason for a verdict, with its figures",
);
export type ReasonData = DataOf<typeof ReasonSchema>;

const resultFields = {
  resultId: text("the id of the run's result"),
  checkId: CheckId,
  location: text("location of the run"),
  probeId: text(),
  startedAt: time("start"),
  verdict: StatusName,
  attempt: count("1 for the first attempt"),
  isFinal: flag("false: it was retried"),
  ...gatherFields(({ agent }) => schemasOf(agent.resultFields)),
  reasons: listOf(ReasonSchema, "decisive reason first; never empty"),
};
const ResultBriefSchema = shape(resultFields);
export type ResultBrief = DataOf<typeof ResultBriefSchema>;

export const ListResultsSchema = shape({
  checkId: CheckId,
  checkType: CheckType,
  name: text("name of the check"),
  from: time("start of the period used"),
  to: time("end of the period used"),
  results: listOf(ResultBriefSchema, "newest first"),
  isTruncated: flag("true: there are older matches"),
});
export type ListResultsData = DataOf<typeof ListResultsSchema>;

export const GetResultSchema = shape({
  ...resultFields,
  checkType: CheckType,
  name: text("name of the check"),
  ...gatherFields(({ agent }) => schemasOf(agent.runFields)),
  trouble: orNull(
    Type.Record(Type.String(), Type.Unknown(), { description: "why nothing could be measured" }),
  ),
  path: orNull(text("where the network path ended")),
});
export type GetResultData = DataOf<typeof GetResultSchema>;

const CheckStateSchema = shape({
  checkId: CheckId,
  checkType: CheckType,
  name: text(),
  status: StatusName,
  since: orNull(time("null if it never ran")),
  activated: flag("false: it is paused"),
  muted: flag("true: it sends no alerts"),
  consecutiveFailures: count("failed runs in a row"),
  lastRunAt: orNull(time("time of the last run")),
  lastRunLocation: orNull(text()),
  locations: listOf(
    shape({
      location: text(),
      verdict: StatusName,
      resultId: text(),
      at: time("time of the run"),
    }),
    "newest final verdict of each location",
  ),
  why: listOf(ResultBriefSchema, "newest results that are not passing, one per location"),
});
export type StatusData = DataOf<typeof CheckStateSchema>;

export const CountsSchema = shape({
  passing: Type.Integer(),
  degraded: Type.Integer(),
  failing: Type.Integer(),
  unknown: Type.Integer(),
});

export const GetStatusSchema = shape({
  counts: CountsSchema,
  total: count("number of checks; counts cover all of them"),
  checks: listOf(
    CheckStateSchema,
    "without checkIds: failing before degraded before unknown, then the others",
  ),
  sharedHops: listOf(text(), "network hops that only failing checks share"),
  notFound: listOf(text(), "requested ids that do not exist in the account"),
});
export type GetStatusData = DataOf<typeof GetStatusSchema>;

export const ListStateChangesSchema = shape({
  from: time("start of the period used"),
  to: time("end of the period used"),
  changes: listOf(
    shape({
      checkId: CheckId,
      name: orNull(text("null if the check was deleted")),
      fromStatus: StatusName,
      toStatus: StatusName,
      at: time("time of the change"),
      resultId: text("the decisive result"),
    }),
    "newest first, at most 100",
  ),
  isTruncated: flag("true: there are older matches"),
});
export type ListStateChangesData = DataOf<typeof ListStateChangesSchema>;

const figureFields = {
  runs: CountsSchema,
  availabilityPercent: figure("from 0 to 100; null without verdicts"),
  ...gatherFields(({ agent }) => schemasOf(agent.figureFields)),
  latencyMs: shape(
    {
      avg: figure("average"),
      p50: figure("median"),
      p95: figure("95th percentile"),
      p99: figure("99th percentile"),
      max: figure("slowest"),
    },
    allKinds.map(({ agent }) => agent.hints.samples).join(", or "),
  ),
};
const FiguresSchema = shape(figureFields);
export type Figures = DataOf<typeof FiguresSchema>;

const CheckFiguresSchema = shape({
  checkId: CheckId,
  checkType: CheckType,
  name: text(),
  tags: listOf(text(), "including those of its group"),
  ...figureFields,
  byLocation: Type.Optional(
    listOf(
      shape({ location: text(), ...figureFields }),
      "only with byLocation, for the first 20 checks",
    ),
  ),
});
export type CheckFigures = DataOf<typeof CheckFiguresSchema>;

const chosen = {
  total: count("number of matching checks; at most 200 are included"),
  notFound: listOf(text(), "requested ids that do not exist in the account"),
};

export const GetStatisticsSchema = shape({
  from: time("start of the data used: whole hours, or days if long ago"),
  to: time("end of the data used"),
  checks: listOf(CheckFiguresSchema, "in the order of checkIds, else of creation"),
  ...chosen,
});
export type GetStatisticsData = DataOf<typeof GetStatisticsSchema>;

export const CompareWindowsSchema = shape({
  from: time("start of the data used"),
  to: time("end of the data used"),
  previousFrom: time("start of the earlier data used"),
  previousTo: time("end of the earlier data used"),
  checks: listOf(
    shape({
      checkId: CheckId,
      checkType: CheckType,
      name: text(),
      now: FiguresSchema,
      before: FiguresSchema,
      change: shape(
        {
          availabilityPercent: figure("difference in percentage points"),
          ...gatherFields(({ agent }) => schemasOf(agent.figureFields)),
          latencyAvgMs: figure("difference of the averages"),
          latencyP95Ms: figure("difference of the 95th percentiles"),
        },
        "now minus before; null if either is missing",
      ),
    }),
    "in the order of checkIds, else of creation",
  ),
  ...chosen,
});
export type CompareWindowsData = DataOf<typeof CompareWindowsSchema>;
