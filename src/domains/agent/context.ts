import type { ChannelsContext } from "../alert-channels/index.ts";
import type { ScheduleContext } from "../schedule/index.ts";
import type { AgentMetrics } from "./agent-metrics.ts";

/** An external model with the chat completions protocol. */
export interface ModelEndpoint {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly model: string;
}

export interface AgentSettings {
  /** `null` if the built-in planner answers and nothing leaves this server. */
  readonly endpoint: ModelEndpoint | null;
  /** Maximum number of tokens that an external model may write in one step. */
  readonly maxTokens: number;
  readonly streamsPerAccount: number;
}

/** Dependencies of the agent: those of the actions behind its tools, and a model. */
export interface AgentContext extends ScheduleContext, ChannelsContext {
  /** Base of links in answers. */
  readonly publicUrl: () => string;
  readonly agentSettings: AgentSettings;
  readonly agentMetrics: AgentMetrics;
}
