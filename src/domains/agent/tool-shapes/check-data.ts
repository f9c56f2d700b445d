import { Type } from "typebox";
import { gatherFields } from "../../../kinds/index.ts";
import { OneOf } from "../../../platform/http/schema.ts";
import { count, type DataOf, figure, flag, listOf, moment, orNull, shape, text } from "./shape.ts";

export const StatusName = OneOf(["passing", "degraded", "failing", "unknown"]);
export type CheckStatusName = DataOf<typeof StatusName>;

export const CheckId = text("the id of a check");

export const CheckType = text("the kind of check");

const briefFields = {
  checkId: CheckId,
  checkType: CheckType,
  name: text(),
  hostname: text("what is watched: a host name or an address"),
  status: StatusName,
  activated: flag("false: it does not run"),
  muted: flag("true: it alerts nobody"),
  tags: listOf(text(), "those of its group included"),
  locations: listOf(text(), "every place it runs from, the default one included"),
  everySeconds: Type.Number({ description: "seconds between two runs" }),
};
export const CheckBriefSchema = shape(briefFields);
export type CheckBrief = DataOf<typeof CheckBriefSchema>;

export const ListChecksSchema = shape({
  checks: listOf(CheckBriefSchema, "the first that match, in the order they were made"),
  total: count("how many match"),
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
  ...gatherFields(({ tools }) => tools.checkFields),
  shouldFail: flag("true: the check passes when the host does not answer"),
  runParallel: flag("true: all places run at once; false: one place after another"),
  degradedResponseTimeMs: figure("response time above which a run is degraded"),
  maxResponseTimeMs: figure("response time above which a run is failing"),
  assertions: listOf(AssertionData, "what must also hold"),
  retryStrategy: orNull(Type.Record(Type.String(), Type.Unknown())),
  createdAt: moment("when it was made"),
  updatedAt: orNull(moment("when it was last changed")),
});
export type GetCheckData = DataOf<typeof GetCheckSchema>;

export const ReasonSchema = shape(
  {
    name: text("such as response-time-above-max, assertion-failed, or one of its kind"),
    text: text("the same in a sentence"),
    ...gatherFields(({ tools }) => tools.reasonFields),
    responseTimeMs: Type.Optional(Type.Number()),
    limitMs: Type.Optional(Type.Number()),
  },
  "a named reason of a verdict, with its figures",
);
export type ReasonData = DataOf<typeof ReasonSchema>;

const resultFields = {
  resultId: text("the id of the run's result"),
  checkId: CheckId,
  location: text("where it ran"),
  probeId: text(),
  startedAt: moment("when it began"),
  verdict: StatusName,
  attempt: count("1 for the first try"),
  isFinal: flag("false: it was tried again"),
  ...gatherFields(({ tools }) => tools.resultFields),
  reasons: listOf(ReasonSchema, "what decided comes first; never empty"),
};
export const ResultBriefSchema = shape(resultFields);
export type ResultBrief = DataOf<typeof ResultBriefSchema>;

export const ListResultsSchema = shape({
  checkId: CheckId,
  checkType: CheckType,
  name: text("of the check"),
  from: moment("as it was taken"),
  to: moment("as it was taken"),
  results: listOf(ResultBriefSchema, "newest first"),
  isTruncated: flag("true: older ones match too"),
});
export type ListResultsData = DataOf<typeof ListResultsSchema>;

export const GetResultSchema = shape({
  ...resultFields,
  checkType: CheckType,
  name: text("of the check"),
  ...gatherFields(({ tools }) => tools.runFields),
  trouble: orNull(
    Type.Record(Type.String(), Type.Unknown(), { description: "why nothing could be measured" }),
  ),
});
export type GetResultData = DataOf<typeof GetResultSchema>;

export const CheckStateSchema = shape({
  checkId: CheckId,
  checkType: CheckType,
  name: text(),
  status: StatusName,
  since: orNull(moment("null for a check that never ran")),
  activated: flag("false: it does not run"),
  muted: flag("true: it alerts nobody"),
  consecutiveFailures: count("failed runs in a row"),
  lastRunAt: orNull(moment("when it ran last")),
  lastRunLocation: orNull(text()),
  locations: listOf(
    shape({
      location: text(),
      verdict: StatusName,
      resultId: text(),
      at: moment("when it ran there"),
    }),
    "the newest final verdict of each place",
  ),
  why: listOf(ResultBriefSchema, "the newest results that are not passing, one for each place"),
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
  total: count("how many there are; counts are of all of them"),
  checks: listOf(
    CheckStateSchema,
    "without checkIds: failing before degraded before unknown, then the others",
  ),
  notFound: listOf(text(), "ids that were asked for and are none of the account's"),
});
export type GetStatusData = DataOf<typeof GetStatusSchema>;

export const ListStateChangesSchema = shape({
  from: moment("as it was taken"),
  to: moment("as it was taken"),
  changes: listOf(
    shape({
      checkId: CheckId,
      name: orNull(text("null when the check is gone")),
      fromStatus: StatusName,
      toStatus: StatusName,
      at: moment("when it changed"),
      resultId: text("the result that decided"),
    }),
    "newest first, at most 100",
  ),
  isTruncated: flag("true: older ones match too"),
});
export type ListStateChangesData = DataOf<typeof ListStateChangesSchema>;
