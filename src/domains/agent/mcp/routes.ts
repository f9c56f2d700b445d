import { answers } from "../../../platform/http/schema.ts";
import { sendWritten } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { StreamSlots } from "../../../platform/http/stream-slots.ts";
import type { AgentContext } from "../context.ts";
import { replyToMcp } from "./actions.ts";
import { McpAnswer, McpBody } from "./schema.ts";

const maxBodyBytes = 256 * 1024;

/**
 * Maximum number of concurrent requests: tools read much data, and all accounts share one database.
 */
const maxRequests = 32;

export function addMcpRoutes(server: HttpServer, context: AgentContext): void {
  const { streamsPerAccount: perAccount } = context.agentSettings;
  const slots = new StreamSlots({ perAccount, total: maxRequests, servers: context.servers });
  server.post(
    "/mcp",
    {
      config: { access: "read" },
      bodyLimit: maxBodyBytes,
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
