/**
 * Answers questions. A *model* (the built-in planner or an external one) reads the question and
 * calls *tools*, which use actions of other modules. A call of a write tool is only *proposed*. It
 * is executed when a person *confirms* it with a token, which models never receive. MCP offers the
 * same tools to external clients. Each request to an external model is recorded as an *exchange*.
 * Tables: agent_confirmations, agent_exchanges.
 */
export {
  type AgentContext,
  type AgentSettings,
  createAgentMetrics,
  startAgentLoops,
} from "./context.ts";
export { addAgentRoutes } from "./routes.ts";
