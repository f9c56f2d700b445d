/**
 * Answers questions. The question is read by an external *model* or, without one, by a
 * classifier of phrases (`answers`), which call *tools*, which use actions of other modules. A call of a write tool is only *proposed*. It
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
