import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { answers, Nothing, toCursorPage } from "../platform/http/schema.ts";
import { sendWritten } from "../platform/http/send.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { StreamSlots } from "../platform/http/stream-slots.ts";
import type { AnswerEvent } from "./answer-event.ts";
import { declineAction, listOwnPending } from "./confirmations/actions.ts";
import { confirmOne } from "./confirmations/confirm.ts";
import type { AgentContext } from "./context.ts";
import { listOwnExchanges } from "./exchanges.ts";
import { replyToMcp } from "./mcp/actions.ts";
import {
  ConfirmationParams,
  ConfirmBody,
  ConfirmedSchema,
  DeclineParams,
  ExchangePage,
  ExchangeParams,
  ExchangeQuery,
  McpAnswer,
  McpBody,
  PendingList,
  StreamAnswer,
  StreamBody,
  StreamParams,
  type StreamRequest,
  toStreamRequest,
  toWireConfirmed,
  toWireExchange,
  toWirePending,
} from "./schema.ts";
import {
  eventStreamHeaders,
  openAnswer,
  writeEventAnswer,
  writeJsonAnswer,
} from "./stream/answers.ts";

const tags = ["Agent"];

const maxStreams = 200;

const maxMcpBodyBytes = 256 * 1024;

/**
 * Maximum number of concurrent MCP requests on one server, for all accounts together, because tools
 * read a lot from a database that all requests share.
 */
const maxMcpRequests = 32;

export function addAgentRoutes(server: HttpServer, context: AgentContext): void {
  addStreamRoutes(server, context);
  addConfirmationRoutes(server, context);
  addExchangeRoutes(server, context);
  addMcpRoutes(server, context);
}

function addStreamRoutes(server: HttpServer, context: AgentContext): void {
  const { streamsPerAccount: perAccount } = context.agentSettings;
  const { openStreams } = context.agentMetrics;
  const slots = new StreamSlots({ perAccount, total: maxStreams, servers: context.servers });
  server.addHook("preClose", (done) => {
    slots.close();
    done();
  });
  server.post(
    "/accounts/:accountId/ai/agents/stream",
    {
      config: { access: "read" },
      schema: {
        tags: ["Agent"],
        operationId: "askAgent",
        summary: "Ask the agent and stream its answer",
        description:
          "JSON by default: one string, written in pieces. With `Accept: text/event-stream`, the " +
          "same as events.",
        params: StreamParams,
        body: StreamBody,
        response: answers({ 200: StreamAnswer }, "unavailable"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const streamRequest = toStreamRequest(body, headers.accept);
      const controller = slots.take(caller.accountId);
      openStreams.set(slots.size);
      // "close" is emitted however the answer ends, also if the client disconnects first.
      reply.raw.once("close", () => {
        controller.abort("closed");
        slots.release(controller);
        openStreams.set(slots.size);
      });
      const events = await openAnswer(context, caller, streamRequest, controller);
      return sendAnswer(reply, events, streamRequest.form);
    },
  );
}

function sendAnswer(
  reply: FastifyReply,
  events: AsyncIterable<AnswerEvent>,
  form: StreamRequest["form"],
): FastifyReply {
  const wantsEvents = form === "events";
  const pieces = wantsEvents ? writeEventAnswer(events) : writeJsonAnswer(events);
  const headers = wantsEvents
    ? eventStreamHeaders
    : { "content-type": "application/json; charset=utf-8", "x-accel-buffering": "no" };
  // The stream consists of bytes, so that its buffer limit counts bytes and a slow client causes
  // backpressure.
  return reply.headers(headers).send(Readable.from(pieces, { objectMode: false }));
}

/**
 * Adds the routes with which people list, confirm and decline proposed actions. No model is
 * involved.
 */
function addConfirmationRoutes(server: HttpServer, context: AgentContext): void {
  server.get(
    "/accounts/:accountId/ai/confirmations",
    {
      config: { access: "run" },
      schema: {
        tags,
        operationId: "listConfirmations",
        summary: "List proposed actions that wait for confirmation",
        description: "Only actions that the caller may confirm, newest first.",
        params: ConfirmationParams,
        response: answers({ 200: PendingList }),
      },
    },
    async ({ caller }) => (await listOwnPending(context, caller)).map(toWirePending),
  );
  server.post(
    "/accounts/:accountId/ai/confirmations",
    {
      config: { access: "run" },
      schema: {
        tags,
        operationId: "confirmAction",
        summary: "Confirm and execute a proposed action",
        description: "A token works once, and only for the caller it was shown to.",
        params: ConfirmationParams,
        body: ConfirmBody,
        response: answers({ 200: ConfirmedSchema }),
      },
    },
    async ({ caller, body }) => toWireConfirmed(await confirmOne(context, caller, body.token)),
  );
  server.delete(
    "/accounts/:accountId/ai/confirmations/:confirmationId",
    {
      config: { access: "run" },
      schema: {
        tags,
        operationId: "declineAction",
        summary: "Decline a proposed action",
        description:
          "It can no longer be confirmed. Every caller who may confirm it may decline it.",
        params: DeclineParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await declineAction(context, caller, params.confirmationId);
      return reply.code(204).send(null);
    },
  );
}

function addExchangeRoutes(server: HttpServer, context: AgentContext): void {
  server.get(
    "/accounts/:accountId/ai/agents/exchanges",
    {
      // Only owners and administrators may read the requests to the external model, because these
      // requests contain the questions of members.
      config: { access: "admin" },
      schema: {
        tags: ["Agent"],
        operationId: "listAgentExchanges",
        summary: "List requests sent to the external model, newest first",
        description:
          "Requests are recorded verbatim. Paginated: pass `nextId` of the response to fetch the " +
          "next page. Empty if no external model is configured.",
        params: ExchangeParams,
        querystring: ExchangeQuery,
        response: answers({ 200: ExchangePage }),
      },
    },
    async ({ caller, query }) => {
      const exchanges = await listOwnExchanges(context, caller, query);
      return toCursorPage(exchanges.map(toWireExchange), query.limit);
    },
  );
}

function addMcpRoutes(server: HttpServer, context: AgentContext): void {
  const { streamsPerAccount: perAccount } = context.agentSettings;
  const slots = new StreamSlots({ perAccount, total: maxMcpRequests, servers: context.servers });
  server.post(
    "/mcp",
    {
      config: { access: "read" },
      bodyLimit: maxMcpBodyBytes,
      schema: {
        tags: ["Agent"],
        operationId: "callMcp",
        summary: "Model Context Protocol: the agent's tools for your own model",
        description:
          "JSON-RPC 2.0 over HTTP, without a session. Use an MCP client rather than this " +
          "operation.",
        body: McpBody,
        response: answers({ 200: McpAnswer }, "bodyTooLarge"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const slot = slots.take(caller.accountId);
      const answer = await replyToMcp(context, caller, { body, headers }).finally(() =>
        slots.release(slot),
      );
      return sendWritten(reply, answer);
    },
  );
}
