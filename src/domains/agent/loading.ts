/**
 * What only a question needs is large: the planner and the AI SDK for one, the MCP SDK for the
 * other. A server that nobody asks anything never loads them, and starts the sooner.
 */
export const loadAnswering = () => import("./answer.ts");
export const loadMcpServer = () => import("./mcp/mcp-server.ts");
