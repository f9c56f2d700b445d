import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { StreamSlots } from "../../../platform/http/stream-slots.ts";
import type { AgentContext } from "../context.ts";
import { openAnswer } from "./actions.ts";
import { StreamAnswer, StreamBody, StreamParams, toStreamRequest } from "./schema.ts";
import { sendAnswer } from "./send-answer.ts";

const maxStreams = 200;

export function addStreamRoutes(server: HttpServer, context: AgentContext): void {
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
      // Runs however the answer ends, and also if the reader disconnects first.
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
