/**
 * What only a question needs is large: the planner and the AI SDK for one, the MCP SDK for the
 * other. Neither is part of a start: each is loaded when it is first used, which takes a fifth of a
 * second, since many installations use neither and it is nine megabytes of memory.
 */
export const loadAnswering = () => import("./answer.ts");
export const loadMcpServer = () => import("./mcp/mcp-server.ts");
