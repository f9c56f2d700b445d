/**
 * Loads the planner with the AI SDK, and the MCP SDK, on first use, which takes about 200 ms. Many
 * installations use neither, and together they need 9 MB of memory.
 */
export const loadAnswering = () => import("./answer.ts");
export const loadMcpServer = () => import("./mcp/mcp-server.ts");
