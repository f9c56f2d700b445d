import type { ChannelsContext } from "../alert-channels/index.ts";
import type { RunsContext } from "../runs/index.ts";
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

/** What the agent needs: what the actions behind its tools need, and a model. */
export interface AgentContext extends RunsContext, ChannelsContext {
  /** Where links in answers lead. */
  readonly publicUrl: () => string;
  readonly agentSettings: AgentSettings;
  readonly agentMetrics: AgentMetrics;
}
