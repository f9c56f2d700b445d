import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { ScheduleContext } from "../context.ts";
import { awaitSession, getSession, triggerChecks } from "./actions.ts";
import {
  CompletionQuery,
  SessionParams,
  SessionSchema,
  TriggerAnswer,
  TriggerBody,
  toWireSession,
} from "./schema.ts";

const tags = ["Check sessions"];

export function addSessionRoutes(server: HttpServer, context: ScheduleContext): void {
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
      return reply.code(201).send({ sessions: reports.map(toWireSession) });
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
    async ({ caller, params }) =>
      toWireSession(await getSession(context, caller, params.checkSessionId)),
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
      return toWireSession(await awaitSession(context, caller, request));
    },
  );
}
