import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "../../access/accounts/index.ts";
import { badToken } from "../../platform/errors.ts";
import type { AgentContext } from "../context.ts";

interface McpReply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

/** Request headers that are passed to the MCP SDK. */
const passedHeaders = ["content-type", "mcp-protocol-version"];

/** Returns the headers for the MCP SDK. Sets the Accept header to a value that the SDK requires. */
function pickHeaders(headers: IncomingHttpHeaders): Headers {
  const picked = new Headers({ accept: "application/json, text/event-stream" });
  for (const name of passedHeaders) {
    const value = headers[name];
    if (typeof value === "string") picked.set(name, value);
  }
  return picked;
}

/**
 * Responds to an MCP request. Accepts only API keys: with session cookies, any website could make
 * the user's browser send MCP requests.
 */
export async function replyToMcp(
  context: AgentContext,
  caller: Caller,
  { body, headers }: { readonly body: unknown; readonly headers: IncomingHttpHeaders },
): Promise<McpReply> {
  if (caller.type !== "API_KEY") throw badToken();
  // The MCP SDK is loaded on first use, because many installations never use it.
  const { answerMcp } = await import("./mcp-server.ts");
  const response = await answerMcp(context, caller, { body, headers: pickHeaders(headers) });
  const type = response.headers.get("content-type") ?? "application/json";
  return {
    status: response.status,
    headers: { "content-type": type },
    text: await response.text(),
  };
}
