import { Type } from "typebox";
import { formatTestSessionUrl } from "../../../pages/screens.ts";
import { answers, Described, Guid, Nothing } from "../../../platform/http/schema.ts";
import { sendWritten } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { StreamSlots } from "../../../platform/http/stream-slots.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import type { SessionLimits, TestSessionsContext } from "../context.ts";
import {
  awaitTestSession,
  cancelTestSession,
  getTestResult,
  listOwnTestSessions,
  type PlannedRun,
  planExisting,
  readTestSession,
  startTestSession,
} from "./actions.ts";
import {
  RunBody,
  readLocation,
  StartedAnswer,
  TestListQuery,
  TestResultParams,
  TestResultSchema,
  TestSessionPage,
  TestSessionParams,
  TestSessionSchema,
  TriggerBody,
  toWirePage,
  toWireReport,
  toWireResult,
} from "./schema.ts";
import type { TestSession } from "./test-session.ts";
import { parseJob } from "./test-session.ts";

const tags = ["Test sessions"];

/**
 * Maximum number of concurrent sessions per account (`perAccount`) and on this server (`total`),
 * and of sessions that an account may start per minute.
 */
const perAccount = 5;
const total = 50;
const perMinute = 60;
/** Maximum size of a request body in bytes. A project may contain many scripts. */
const maxBodyBytes = 8 * 1024 * 1024;

function createSessionLimits({ clock, servers }: TestSessionsContext): SessionLimits {
  return {
    slots: new StreamSlots({ perAccount, total, servers }),
    rate: new RateLimit({ limit: perMinute, windowMs: 60_000, clock, servers }),
    running: new Map(),
  };
}

function toWireStarted(session: TestSession, runs: readonly PlannedRun[]) {
  return {
    schedulingId: session.id,
    testSessionId: session.id,
    testResultIds: Object.fromEntries(runs.map(({ job, result }) => [job.key, result.id])),
    sequenceIds: Object.fromEntries(runs.map(({ job, sequenceId }) => [job.key, sequenceId])),
    checks: runs.map(({ job }) => ({ id: job.key, name: job.name, checkType: job.checkType })),
  };
}

interface SentDetails {
  readonly repoInfo?: object | null;
  readonly environment?: string | null;
}

function readDetails({ repoInfo = null, environment = null }: SentDetails) {
  return { repoInfo, environment };
}

const json = { "content-type": "application/json; charset=utf-8" };
const noMatch = {
  statusCode: 403,
  error: "Forbidden",
  message: "No checks match.",
  errorCode: "ERR_NO_MATCHING_CHECKS",
};

function addStartRoutes(
  server: HttpServer,
  context: TestSessionsContext,
  limits: SessionLimits,
): void {
  server.post(
    "/v1/test-sessions/run",
    {
      bodyLimit: maxBodyBytes,
      config: { access: "write" },
      schema: {
        tags,
        operationId: "runTestSession",
        summary: "Run unsaved checks once",
        description:
          "For `test` of the command line. Nobody is alerted, and no statistics change. " +
          "Events of each run are published over MQTT. There are no retries. " +
          `An account may have ${perAccount} concurrent sessions and ${perMinute} per minute.`,
        body: RunBody,
        response: answers({ 202: StartedAnswer }),
      },
    },
    async ({ caller, body }, reply) => {
      const { name, shouldRecord: isRecorded, checkRunJobs, sharedFiles = [] } = body;
      const { streamLogs: streamsLogs } = body;
      const { session, runs } = await startTestSession(context, limits, caller, {
        ...{ name, provider: "CLI", isRecorded, location: readLocation(body) },
        details: readDetails(body),
        streamsLogs,
        jobs: checkRunJobs.map((job) => parseJob(job, sharedFiles)),
      });
      return reply.code(202).send(toWireStarted(session, runs));
    },
  );
  server.post(
    "/next/test-sessions/trigger",
    {
      config: { access: "run" },
      schema: {
        tags,
        operationId: "triggerTestSession",
        summary: "Run existing checks once, as a test",
        description:
          "For `trigger` of the command line. Nobody is alerted, and no statistics change. " +
          "403 with the `errorCode` ERR_NO_MATCHING_CHECKS if no check matches.",
        body: TriggerBody,
        response: answers({ 201: StartedAnswer }),
      },
    },
    async ({ caller, body }, reply) => {
      const { name, shouldRecord: isRecorded, checkRunSuiteId: suiteId } = body;
      const matchTags = body.targetTags?.length === 0 ? undefined : body.targetTags;
      const target = { suiteId, checkId: body.checkId, matchTags };
      const jobs = await planExisting(context, caller, target);
      if (jobs.length === 0) {
        return sendWritten(reply, { status: 403, headers: json, text: JSON.stringify(noMatch) });
      }
      const { session, runs } = await startTestSession(context, limits, caller, {
        ...{ name, provider: "TRIGGER", isRecorded, location: readLocation(body), jobs },
        details: readDetails(body),
      });
      return reply.code(201).send(toWireStarted(session, runs));
    },
  );
}

function addReadRoutes(server: HttpServer, context: TestSessionsContext): void {
  server.get(
    "/v1/test-sessions",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listTestSessions",
        summary: "List test sessions, newest first",
        description: "The server keeps the last 200 of an account.",
        querystring: TestListQuery,
        response: answers({ 200: TestSessionPage }),
      },
    },
    async ({ caller, query }) =>
      toWirePage(await listOwnTestSessions(context, caller, query), query.limit),
  );
  server.get(
    "/v1/test-sessions/:testSessionId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getTestSession",
        summary: "Get a test session with its results",
        description: "Results appear as they end.",
        params: TestSessionParams,
        response: answers({ 200: TestSessionSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const report = await readTestSession(context, caller, params.testSessionId);
      return toWireReport(context.publicUrl(), report, context.clock.nowMs());
    },
  );
  server.get(
    "/v1/test-sessions/:testSessionId/results/:testResultId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getTestResult",
        summary: "Get one result of a test session",
        description: "With the reason of a failure.",
        params: TestResultParams,
        response: answers({ 200: TestResultSchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireResult(context.publicUrl(), await getTestResult(context, caller, params.testResultId)),
  );
}

const CompletionQuery = Type.Object({
  maxWaitSeconds: Type.Integer({
    description: "Maximum wait in seconds.",
    minimum: 1,
    maximum: 30,
    default: 30,
  }),
});

const Scheduled = Type.Object({
  id: Described(Guid, "The session's id."),
  status: Type.String({ description: "Always SUCCEEDED.", examples: ["SUCCEEDED"] }),
});

/**
 * Adds the redirect to the web page of a session. Clients build this URL themselves, and print it
 * if they do not run in a terminal.
 */
function addScreenRoute(server: HttpServer): void {
  server.get(
    "/accounts/:accountId/test-sessions/:testSessionId",
    { config: { access: "public" }, schema: { hide: true, params: TestSessionParams } },
    async ({ params }, reply) => reply.redirect(formatTestSessionUrl("", params.testSessionId)),
  );
}

function addWaitRoutes(
  server: HttpServer,
  context: TestSessionsContext,
  limits: SessionLimits,
): void {
  server.get(
    "/v1/test-sessions/:testSessionId/completion",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "waitForTestSession",
        summary: "Wait for a test session to end",
        description: "Returns as soon as it has ended, or 408 after `maxWaitSeconds`.",
        params: TestSessionParams,
        querystring: CompletionQuery,
        response: answers({ 200: TestSessionSchema }, "notFound", "requestTimeout"),
      },
    },
    async ({ caller, params, query }) => {
      const request = { id: params.testSessionId, ...query };
      const report = await awaitTestSession(context, caller, request);
      return toWireReport(context.publicUrl(), report, context.clock.nowMs());
    },
  );
  server.get(
    "/v1/test-sessions/scheduling/:testSessionId/completion",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "waitForTestScheduling",
        summary: "Wait until the runs of a test session are scheduled",
        description: "They are scheduled when the session exists.",
        params: TestSessionParams,
        querystring: CompletionQuery,
        response: answers({ 200: Scheduled }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const { session } = await readTestSession(context, caller, params.testSessionId);
      return { id: session.id, status: "SUCCEEDED" };
    },
  );
  server.post(
    "/v1/test-sessions/:testSessionId/cancel",
    {
      config: { access: "run" },
      schema: {
        tags,
        operationId: "cancelTestSession",
        summary: "Cancel a test session",
        description: "Runs that have not ended count as cancelled.",
        params: TestSessionParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await cancelTestSession(context, limits, caller, params.testSessionId);
      return reply.code(204).send(null);
    },
  );
}

export function addTestSessionRoutes(server: HttpServer, context: TestSessionsContext): void {
  const limits = createSessionLimits(context);
  server.addHook("preClose", (done) => {
    limits.slots.close();
    done();
  });
  addStartRoutes(server, context, limits);
  addReadRoutes(server, context);
  addWaitRoutes(server, context, limits);
  addScreenRoute(server);
}
