import type { AlertingContext } from "../alerting/index.ts";
import type { ChecksContext } from "../checks/index.ts";
import type { LocationsContext } from "../locations/index.ts";
import type { AgentMetrics } from "./agent-metrics.ts";

/** A model outside that speaks the chat-completions protocol. */
export interface ModelEndpoint {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly model: string;
}

export interface AgentSettings {
  /** Null: the planner answers, and nothing leaves this server. */
  readonly endpoint: ModelEndpoint | null;
  /** That a model outside may write in one step. */
  readonly maxTokens: number;
  readonly streamsPerAccount: number;
}

/** What the agent needs of the world: what the actions behind its tools need, and a model. */
export interface AgentContext extends AlertingContext, ChecksContext, LocationsContext {
  readonly agentSettings: AgentSettings;
  readonly agentMetrics: AgentMetrics;
}
