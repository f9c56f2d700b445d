/**
 * Answers questions with the other rooms' actions as its *tools*. A *model* (our own planner, or
 * one outside) reads the question and calls tools; a tool that writes is only *proposed*, and runs
 * when a person *confirms* it with a token that no model is ever shown. MCP offers the same tools
 * to a model elsewhere. What leaves for a model outside is kept as an *exchange*.
 * Tables: agent_confirmations, agent_exchanges.
 */
export { createAgentMetrics } from "./agent-metrics.ts";
export type { AgentContext, AgentSettings } from "./context.ts";
export { startAgentLoops } from "./loops.ts";
export { addAgentRoutes } from "./routes.ts";
