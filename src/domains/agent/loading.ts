/**
 * What only a question needs is large: the planner and the AI SDK for one, the MCP SDK for the
 * other. Neither is part of a start: the first is loaded soon after it, the second when it is used.
 */
export const loadAnswering = () => import("./answer.ts");
export const loadMcpServer = () => import("./mcp/mcp-server.ts");
