import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AgentContext } from "../context.ts";
import { replyToMcp } from "./actions.ts";
import { McpAnswer, McpBody } from "./schema.ts";

const maxBodyBytes = 256 * 1024;

export function addMcpRoutes(server: HttpServer, context: AgentContext): void {
  server.post(
    "/mcp",
    {
      config: { access: "read" },
      bodyLimit: maxBodyBytes,
      schema: {
        tags: ["Agent"],
        summary: "The Model Context Protocol: the agent's tools for your own model",
        body: McpBody,
        response: answers({ 200: McpAnswer }, "bodyTooLarge"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const answer = await replyToMcp(context, caller, { body, headers });
      return reply
        .code(answer.status as 200)
        .headers(answer.headers)
        .send(answer.text as never);
    },
  );
}
