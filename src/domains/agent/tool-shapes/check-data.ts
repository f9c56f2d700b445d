import { Type } from "typebox";
import { OneOf } from "../../../platform/http/schema.ts";
import { count, type DataOf, figure, flag, listOf, moment, orNull, shape, text } from "./shape.ts";

export const StatusName = OneOf(["passing", "degraded", "failing", "unknown"]);
export type CheckStatusName = DataOf<typeof StatusName>;

export const CheckId = text("the id of a check");

const briefFields = {
  checkId: CheckId,
  name: text(),
  hostname: text("the host name or address that is pinged"),
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
  ipFamily: text("IPv4 or IPv6"),
  pingCount: count("packets in one run"),
  shouldFail: flag("true: the check passes when the host does not answer"),
  runParallel: flag("true: all places run at once; false: one place after another"),
  degradedPacketLossThreshold: Type.Number({ description: "percent of loss that is degraded" }),
  maxPacketLossThreshold: Type.Number({ description: "percent of loss that is failing" }),
  degradedResponseTimeMs: figure("average round trip above which a run is degraded"),
  maxResponseTimeMs: figure("average round trip above which a run is failing"),
  assertions: listOf(AssertionData, "what must also hold"),
  retryStrategy: orNull(Type.Record(Type.String(), Type.Unknown())),
  createdAt: moment("when it was made"),
  updatedAt: orNull(moment("when it was last changed")),
});
export type GetCheckData = DataOf<typeof GetCheckSchema>;

export const ReasonSchema = shape(
  {
    name: text("such as packet-loss-at-or-above-max, name-not-resolved, response-time-above-max"),
    text: text("the same in a sentence"),
    lossPercent: Type.Optional(Type.Number()),
    limitPercent: Type.Optional(Type.Number()),
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
  packetsSent: orNull(Type.Integer()),
  packetsReceived: orNull(Type.Integer()),
  lossPercent: figure("packet loss"),
  minMs: figure("fastest round trip"),
  avgMs: figure("average round trip"),
  maxMs: figure("slowest round trip"),
  jitterMs: figure("mean change from one round trip to the next"),
  reasons: listOf(ReasonSchema, "what decided comes first; never empty"),
};
export const ResultBriefSchema = shape(resultFields);
export type ResultBrief = DataOf<typeof ResultBriefSchema>;

export const ListResultsSchema = shape({
  checkId: CheckId,
  name: text("of the check"),
  from: moment("as it was taken"),
  to: moment("as it was taken"),
  results: listOf(ResultBriefSchema, "newest first"),
  isTruncated: flag("true: older ones match too"),
});
export type ListResultsData = DataOf<typeof ListResultsSchema>;

const PacketSchema = shape({
  sequence: Type.Integer(),
  sentAt: orNull(moment("when it was sent")),
  rttMs: figure("round trip; null for a lost packet"),
  ttl: orNull(Type.Integer()),
  icmpType: orNull(Type.Integer()),
  icmpCode: orNull(Type.Integer()),
});

export const GetResultSchema = shape({
  ...resultFields,
  name: text("of the check"),
  hostname: text("what was pinged"),
  resolvedIp: orNull(text("the address that the name stood for")),
  ipFamily: text(),
  dnsMs: figure("time to resolve the name"),
  stdDevMs: figure("standard deviation of the round trips"),
  longestLossBurst: orNull(Type.Integer({ description: "packets lost in a row" })),
  duplicates: orNull(Type.Integer()),
  reordered: orNull(Type.Integer()),
  lateReplies: orNull(Type.Integer()),
  trouble: orNull(
    Type.Record(Type.String(), Type.Unknown(), { description: "why nothing could be measured" }),
  ),
  packets: listOf(PacketSchema, "in the order they were sent"),
});
export type GetResultData = DataOf<typeof GetResultSchema>;

export const CheckStateSchema = shape({
  checkId: CheckId,
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
