import { Type } from "typebox";
import { checkTypes } from "../../../kinds/index.ts";
import { formatCheckUrl, formatRunUrl } from "../../../pages/screens.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  answers,
  DateTime,
  Described,
  exampleId,
  Guid,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { type ResultRow, readStoppedAt, verdictNames } from "../../results/index.ts";
import type { ScheduleRoutesContext } from "../context.ts";
import {
  awaitSession,
  getSession,
  type SessionReport,
  sessionStatuses,
  triggerChecks,
} from "./actions.ts";

const TriggerBody = Type.Object(
  {
    target: Type.Object(
      {
        checkId: Type.Optional(
          Type.Array(Guid, {
            description: "Ids of the checks.",
            examples: [["7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10"]],
            minItems: 1,
            maxItems: 100,
          }),
        ),
        matchTags: Type.Optional(
          Type.Array(Type.Array(Type.String({ maxLength: 255 }), { minItems: 1, maxItems: 20 }), {
            description: "Checks with all tags of one of these lists.",
            minItems: 1,
            maxItems: 20,
          }),
        ),
      },
      { description: "Which checks to run: by id, by tags, or both." },
    ),
  },
  { title: "CheckSessionsInput" },
);
const SessionParams = Type.Object({ checkSessionId: Described(Guid, "The session's id.") });
const CompletionQuery = Type.Object({
  maxWaitSeconds: Type.Integer({
    description: "Maximum wait in seconds.",
    minimum: 1,
    maximum: 30,
    default: 30,
  }),
});

const SessionResult = Type.Object(
  {
    checkResultId: Described(Guid, "The deciding result; `null` if there is none."),
    checkResultLink: Type.String({
      description: "The run in the web application.",
      examples: [formatRunUrl("https://vedette.example.com", exampleId, exampleId)],
    }),
    checkId: Described(Guid, "The check's id."),
    checkType: Described(OneOf<string[]>(checkTypes), "The kind of check."),
    name: Type.String({ description: "The check's name.", examples: ["Router"] }),
    runLocation: Type.String({ description: "Where it ran.", examples: ["eu-central-1"] }),
    resultType: Described(
      OneOf(["FINAL", "ATTEMPT"]),
      "FINAL if the result counts; ATTEMPT if it was retried.",
    ),
    hasErrors: Type.Boolean({ description: "True if the run ended with an error." }),
    hasFailures: Type.Boolean({ description: "True: it failed." }),
    isDegraded: Type.Boolean({ description: "True if it is degraded." }),
    aborted: Type.Boolean({ description: "Always false." }),
    isCancelled: Type.Boolean({ description: "Always false." }),
    responseTime: Described(
      OrNull(Type.Number()),
      "The average round trip in milliseconds; `null` if there was no response.",
      12.4,
    ),
    startedAt: Described(DateTime, "When it began."),
    stoppedAt: Described(DateTime, "When it ended."),
  },
  { title: "CheckSessionResult" },
);

const SessionSchema = Type.Object(
  {
    checkSessionId: Described(Guid, "The session's id."),
    checkSessionLink: Type.String({
      description: "The check in the web application, which shows the runs of the session.",
      examples: [formatCheckUrl("https://vedette.example.com", exampleId)],
    }),
    checkId: Described(Guid, "The check's id."),
    checkType: Described(OneOf<string[]>(checkTypes), "The kind of check."),
    name: Type.String({ description: "The check's name.", examples: ["Router"] }),
    status: Described(OneOf(sessionStatuses), "Status of the session.", "PASSED"),
    startedAt: Described(DateTime, "When it began."),
    stoppedAt: Described(OrNull(DateTime), "When it ended; `null` if it has not."),
    timeElapsed: Type.Number({ description: "Milliseconds since it began.", examples: [5120] }),
    runLocations: Type.Array(Type.String(), {
      description: "Where it runs.",
      examples: [["eu-central-1"]],
    }),
    runSource: Described(OneOf(["TRIGGER_API"]), "Source of the request."),
    results: Type.Array(SessionResult, { description: "The results received so far." }),
  },
  { title: "CheckSession" },
);
export const TriggerAnswer = Type.Object({
  sessions: Type.Array(SessionSchema, { description: "One session per check." }),
});

function toWireResult(
  row: ResultRow,
  { name, checkType }: Pick<SessionReport, "name" | "checkType">,
  publicUrl: string,
) {
  const verdict = verdictNames[row.verdict] ?? "unknown";
  return {
    checkResultId: row.id,
    checkResultLink: formatRunUrl(publicUrl, row.check_id, row.id),
    checkId: row.check_id,
    checkType,
    name,
    runLocation: row.location,
    resultType: row.is_final ? ("FINAL" as const) : ("ATTEMPT" as const),
    hasErrors: verdict !== "unknown" && row.trouble !== null,
    hasFailures: verdict === "failing",
    isDegraded: verdict === "degraded",
    aborted: false,
    isCancelled: false,
    responseTime: row.response_ms,
    startedAt: formatDateTime(row.started_at),
    stoppedAt: formatDateTime(readStoppedAt(row)),
  };
}

export function toWireSession(report: SessionReport, publicUrl: string) {
  const { session, name, checkType, status, results, elapsedMs } = report;
  const isOver = status !== "STARTED" && status !== "PROGRESS";
  const last = results.at(-1);
  return {
    checkSessionId: session.id,
    checkSessionLink: formatCheckUrl(publicUrl, session.checkId),
    checkId: session.checkId,
    checkType,
    name,
    status,
    startedAt: formatDateTime(session.startedAt),
    stoppedAt: isOver && last !== undefined ? formatDateTime(readStoppedAt(last)) : null,
    timeElapsed: elapsedMs,
    runLocations: [...session.locations],
    runSource: "TRIGGER_API" as const,
    results: results.map((row) => toWireResult(row, report, publicUrl)),
  };
}

const tags = ["Check sessions"];

export function addSessionRoutes(server: HttpServer, context: ScheduleRoutesContext): void {
  const show = (report: SessionReport) => toWireSession(report, context.publicUrl());
  server.post(
    "/v2/check-sessions/trigger",
    {
      config: { access: "run" },
      schema: {
        tags,
        operationId: "createCheckSessions",
        summary: "Run checks now, by id or by tags",
        description: "Creates one session per check. The runs count like scheduled runs.",
        body: TriggerBody,
        response: answers({ 201: TriggerAnswer }, "notFound"),
      },
    },
    async ({ caller, body }, reply) => {
      const reports = await triggerChecks(context, caller, body.target);
      return reply.code(201).send({ sessions: reports.map(show) });
    },
  );
  server.get(
    "/v2/check-sessions/:checkSessionId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getCheckSession",
        summary: "Get the state of a triggered run",
        description: "Contains the results received so far.",
        params: SessionParams,
        response: answers({ 200: SessionSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => show(await getSession(context, caller, params.checkSessionId)),
  );
  server.get(
    "/v2/check-sessions/:checkSessionId/completion",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "waitForCheckSession",
        summary: "Wait for a triggered run to end",
        description: "Returns as soon as it has ended, or 408 after `maxWaitSeconds`.",
        params: SessionParams,
        querystring: CompletionQuery,
        response: answers({ 200: SessionSchema }, "notFound", "requestTimeout"),
      },
    },
    async ({ caller, params, query }) => {
      const request = { id: params.checkSessionId, maxWaitSeconds: query.maxWaitSeconds };
      return show(await awaitSession(context, caller, request));
    },
  );
}
