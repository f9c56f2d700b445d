/**
 * Answers questions, using actions of other modules as its *tools*. A *model* (the built-in
 * planner, or an external one) reads the question and calls tools. A tool that writes is only
 * *proposed*; it runs when a person *confirms* it with a token that no model ever sees. MCP offers
 * the same tools to external clients. Each request to an external model is recorded as an
 * *exchange*.
 * Tables: agent_confirmations, agent_exchanges.
 */
export {
  type AgentContext,
  type AgentSettings,
  createAgentMetrics,
  startAgentLoops,
} from "./context.ts";
export { addAgentRoutes } from "./routes.ts";
