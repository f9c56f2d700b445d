import { Type } from "typebox";
import { gatherFields } from "../../../kinds/index.ts";
import type { Kind } from "../../../kinds/kit/kind.ts";
import { formatDateTime, toDay } from "../../../platform/dates.ts";
import {
  answers,
  DateOnly,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
  sendTotal,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { type ResultRow, readDueAtMs, readRun, verdictNames } from "../../results/index.ts";
import type { StatesContext } from "../current-status.ts";
import { listVotes, ruleOf } from "../state.ts";
import {
  type Decision,
  explainDecision,
  getDecision,
  listStatuses,
  type ShownState,
} from "./actions.ts";

const StatusParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
const StatusQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: "Maximum number of statuses to return; all if omitted.",
    }),
  ),
  page: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1,
    description: "Page number, from 1.",
  }),
});

const statuses = Described(
  OneOf(["passing", "degraded", "failing", "unknown"]),
  "Current status; unknown if no run has a verdict.",
);

const shown = {
  name: Type.String({ description: "The check's name.", examples: ["Router"] }),
  checkId: Described(Guid, "The check's id."),
  hasFailures: Type.Boolean({ description: "True if it is failing." }),
  hasErrors: Type.Boolean({
    description:
      "Always false: clients that know no other states would show a check without data as failing. " +
      "See `status`.",
  }),
  isDegraded: Type.Boolean({ description: "True if it is degraded." }),
  status: statuses,
  since: Described(DateTime, "Start of the current status."),
  longestRun: Described(
    OrNull(Type.Number()),
    "The longest average round trip so far in milliseconds; `null` if there is none.",
    31.2,
  ),
  shortestRun: Described(
    OrNull(Type.Number()),
    "The shortest average round trip so far in milliseconds; `null` if there is none.",
    9.8,
  ),
  lastRunLocation: Described(
    OrNull(Type.String()),
    "Location of the last run; `null` if there is none.",
    "eu-central-1",
  ),
  lastCheckRunId: Described(
    OrNull(Type.String()),
    "The newest result; `null` if there is none.",
    "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10",
  ),
  sslDaysRemaining: Type.Null({ description: "Always `null` for a ping." }),
  created_at: Described(DateOnly, "The day it was created, in UTC."),
  updated_at: Described(OrNull(DateTime), "When it was last changed; `null` if never."),
};

const StatusSchema = Type.Object(shown, { title: "CheckStatus" });
const StatusList = Type.Array(StatusSchema);

const DecidingRun = Type.Object({
  resultId: Described(Guid, "The result's id."),
  location: Type.String({ description: "The location.", examples: ["eu-central-1"] }),
  probeId: Type.String({ description: "The probe that ran it.", examples: ["probe-1"] }),
  dueAt: Described(DateTime, "When it was due."),
  attempt: Type.Integer({ description: "Number of the attempt, from 1." }),
  resultType: Described(
    OneOf(["FINAL", "ATTEMPT"]),
    "FINAL if the result counts; ATTEMPT if it was retried.",
  ),
  verdict: statuses,
  ...gatherFields(({ explainingFields }) => explainingFields),
  responseTime: Described(
    OrNull(Type.Number()),
    "The average round trip in milliseconds; `null` if there was no response.",
    12.4,
  ),
  reasons: Type.Array(
    Type.Object(
      { name: Type.String({ description: "The reason.", examples: ["all-within-limits"] }) },
      { additionalProperties: true },
    ),
    { description: "Reasons of the verdict by name, with figures." },
  ),
});

const StatusWithDecision = Type.Object(
  {
    ...shown,
    explanation: Type.String({
      description: "Explanation in one sentence.",
      examples: ["60 % of the packets were lost, at or above the limit of 20 %."],
    }),
    decision: Type.Object(
      {
        rule: Described(
          OneOf(["newest-run-decides", "worst-location-decides"]),
          "The rule that applies.",
        ),
        thresholds: Type.Object(
          {
            ...gatherFields((kind) => kind.limitFields),
            degradedResponseTime: Described(
              OrNull(Type.Number()),
              "Above this average round trip, in milliseconds, a run is degraded; `null` for no limit.",
            ),
            maxResponseTime: Described(
              OrNull(Type.Number()),
              "Above this average round trip, in milliseconds, a run is failing; `null` for no limit.",
            ),
            assertions: Type.Integer({
              description: "Number of assertions.",
              examples: [0],
            }),
            shouldFail: Type.Boolean({
              description: "If true, failing runs count as passing and vice versa.",
            }),
          },
          { description: "The limits that apply." },
        ),
        retryStrategy: Described(
          OrNull(Type.Object({}, { additionalProperties: true })),
          "How a failing run is retried before it counts; `null` for no retries.",
          null,
        ),
        consecutiveFailures: Type.Integer({ description: "Consecutive failing runs." }),
        votes: Type.Array(
          Type.Object({
            location: Type.String({ description: "The location.", examples: ["eu-central-1"] }),
            verdict: statuses,
            resultId: Described(Guid, "The result's id."),
            at: Described(DateTime, "When that run ended."),
          }),
          { description: "The verdict of each location." },
        ),
        runs: Type.Array(DecidingRun, {
          description: "The deciding runs and attempts, newest first.",
        }),
      },
      { description: "Basis of the status." },
    ),
  },
  { title: "CheckStatusDetails" },
);

function toWireStatus(row: ShownState) {
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
    created_at: toDay(row.created_at),
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

function toWireDecision(decision: Decision) {
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

const tags = ["Statuses"];

export function addStatusRoutes(server: HttpServer, context: StatesContext): void {
  server.get(
    "/v1/check-statuses",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckStatuses",
        summary: "List the status of every check that has run",
        description:
          "Based on the newest run of each check, in id order. Alerts follow separate " +
          "rules, which may be slower. The total is in `Content-Range`.",
        querystring: StatusQuery,
        response: answers({ 200: StatusList }),
      },
    },
    async ({ caller, query }, reply) => {
      const { states, total, part } = await listStatuses(context, caller, query);
      sendTotal(reply, part, total);
      return states.map(toWireStatus);
    },
  );
  server.get(
    "/v1/check-statuses/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getCheckStatus",
        summary: "Get the status of a check and its explanation",
        description:
          "Contains the thresholds, the vote of each location and the deciding runs. A check that " +
          "has not run yet is unknown.",
        params: StatusParams,
        response: answers({ 200: StatusWithDecision }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireDecision(await getDecision(context, caller, params.checkId)),
  );
}
