import { Type } from "typebox";
import { gatherFields } from "../../../kinds/index.ts";
import type { Kind } from "../../../kinds/kind.ts";
import { formatDate, formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { type ResultRow, readRun, verdictNames } from "../result-store.ts";
import { readDueAtMs } from "../run-id.ts";
import { listVotes, ruleOf } from "../state-decision.ts";
import { type Decision, explainDecision, type ShownState } from "./actions.ts";

export const StatusParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
export const StatusQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: "How many to list; without it all are listed, as clients expect.",
    }),
  ),
  page: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1,
    description: "Which page of `limit` statuses; the first is 1.",
  }),
});

const statuses = Described(
  OneOf(["passing", "degraded", "failing", "unknown"]),
  "Unknown: nothing was learned about the target.",
);

const shown = {
  name: Type.String({ description: "The check's name.", examples: ["Router"] }),
  checkId: Described(Guid, "The check's id."),
  hasFailures: Type.Boolean({ description: "True: it is failing." }),
  hasErrors: Type.Boolean({
    description:
      "Always false: clients that know no other states would show a check without data as failing. " +
      "See `status`.",
  }),
  isDegraded: Type.Boolean({ description: "True: it is degraded." }),
  status: statuses,
  since: Described(DateTime, "Since when it has this status."),
  longestRun: Described(
    OrNull(Type.Number()),
    "The longest average round trip so far, in milliseconds; null: none.",
    31.2,
  ),
  shortestRun: Described(
    OrNull(Type.Number()),
    "The shortest average round trip so far, in milliseconds; null: none.",
    9.8,
  ),
  lastRunLocation: Described(
    OrNull(Type.String()),
    "Where it ran last; null: nowhere yet.",
    "eu-central-1",
  ),
  lastCheckRunId: Described(
    OrNull(Type.String()),
    "Its newest result; null: none.",
    "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10",
  ),
  sslDaysRemaining: Type.Null({ description: "Always null for a ping." }),
  created_at: Type.String({ description: "The day it was created, in UTC.", format: "date" }),
  updated_at: Described(OrNull(DateTime), "When it was last changed; null: never."),
};

export const StatusSchema = Type.Object(shown, { title: "CheckStatus" });
export const StatusList = Type.Array(StatusSchema);

const DecidingRun = Type.Object({
  resultId: Described(Guid, "The result's id."),
  location: Type.String({ description: "The location.", examples: ["eu-central-1"] }),
  probeId: Type.String({ description: "The probe that ran it.", examples: ["probe-1"] }),
  dueAt: Described(DateTime, "When it was due."),
  attempt: Type.Integer({ description: "Which attempt it was, from 1." }),
  resultType: Described(OneOf(["FINAL", "ATTEMPT"]), "FINAL counts; ATTEMPT was tried again."),
  verdict: statuses,
  ...gatherFields(({ explainingFields }) => explainingFields),
  responseTime: Described(
    OrNull(Type.Number()),
    "The average round trip in milliseconds; null: nothing came back.",
    12.4,
  ),
  reasons: Type.Array(
    Type.Object(
      { name: Type.String({ description: "The reason.", examples: ["all-within-limits"] }) },
      { additionalProperties: true },
    ),
    { description: "Why the verdict is as it is, by name, with the figures." },
  ),
});

export const StatusWithDecision = Type.Object(
  {
    ...shown,
    explanation: Type.String({
      description: "Why, in a sentence for people.",
      examples: ["60 % of the packets were lost, at or above the limit of 20 %."],
    }),
    decision: Type.Object(
      {
        rule: Described(
          OneOf(["newest-run-decides", "worst-location-decides"]),
          "Which rule applies.",
        ),
        thresholds: Type.Object(
          {
            ...gatherFields((kind) => kind.limitFields),
            degradedResponseTime: Described(
              OrNull(Type.Number()),
              "Above this average round trip, in milliseconds, a run is degraded; null: no limit.",
            ),
            maxResponseTime: Described(
              OrNull(Type.Number()),
              "Above this average round trip, in milliseconds, a run is failing; null: no limit.",
            ),
            assertions: Type.Integer({
              description: "How many assertions there are.",
              examples: [0],
            }),
            shouldFail: Type.Boolean({
              description: "True: failing counts as passing and the other way round.",
            }),
          },
          { description: "The limits it was held against." },
        ),
        retryStrategy: Described(
          OrNull(Type.Object({}, { additionalProperties: true })),
          "How a failing run is tried again before it counts; null: not at all.",
          null,
        ),
        consecutiveFailures: Type.Integer({ description: "Failing runs in a row." }),
        votes: Type.Array(
          Type.Object({
            location: Type.String({ description: "The location.", examples: ["eu-central-1"] }),
            verdict: statuses,
            resultId: Described(Guid, "The result's id."),
            at: Described(DateTime, "When that run ended."),
          }),
          { description: "What each location says." },
        ),
        runs: Type.Array(DecidingRun, {
          description: "The runs and attempts that decided, the newest first.",
        }),
      },
      { description: "Why it has this status." },
    ),
  },
  { title: "CheckStatusDetails" },
);

export function toWireStatus(row: ShownState) {
  return {
    name: row.name,
    checkId: row.check_id,
    hasFailures: row.status === "failing",
    hasErrors: false,
    isDegraded: row.status === "degraded",
    status: row.status,
    since: formatDateTime(row.since),
    longestRun: row.longest_run_ms,
    shortestRun: row.shortest_run_ms,
    lastRunLocation: row.last_location,
    lastCheckRunId: row.last_result_id,
    sslDaysRemaining: null,
    created_at: formatDate(row.created_at),
    updated_at: formatDateTime(row.updated_at),
  };
}

function toWireRun(row: ResultRow, kind: Kind) {
  const { outcome } = readRun(kind, row);
  return {
    resultId: row.id,
    location: row.location,
    probeId: row.probe_id,
    dueAt: formatDateTime(new Date(readDueAtMs(row.id))),
    attempt: row.attempt,
    resultType: row.is_final ? ("FINAL" as const) : ("ATTEMPT" as const),
    verdict: verdictNames[row.verdict] ?? "unknown",
    ...kind.explainingFigures(outcome.kind === "measured" ? outcome.measurement : null),
    responseTime: row.response_ms,
    reasons: (row.reasons ?? [{ name: "all-within-limits" }]) as { name: string }[],
  };
}

export function toWireDecision(decision: Decision) {
  const { row, kind, settings, attempts } = decision;
  const { retryStrategy } = settings;
  return {
    ...toWireStatus(row),
    explanation: explainDecision(decision),
    decision: {
      rule: ruleOf(settings.runParallel),
      thresholds: {
        ...kind.limits(settings),
        degradedResponseTime: settings.degradedResponseTime,
        maxResponseTime: settings.maxResponseTime,
        assertions: kind.listAssertions(settings).length,
        shouldFail: settings.shouldFail,
      },
      retryStrategy: retryStrategy === null ? null : { ...retryStrategy },
      consecutiveFailures: row.consecutive_failures,
      votes: listVotes(row.locations).map(({ atMs, ...vote }) => ({
        ...vote,
        at: formatDateTime(new Date(atMs)),
      })),
      runs: attempts.map((attempt) => toWireRun(attempt, kind)),
    },
  };
}
