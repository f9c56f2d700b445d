import { Counter, Gauge, type Registry } from "prom-client";

export interface AgentMetrics {
  readonly answers: Counter;
  readonly toolCalls: Counter;
  readonly openStreams: Gauge;
}

export function createAgentMetrics(registry: Registry): AgentMetrics {
  const registers = [registry];
  return {
    answers: new Counter({
      name: "vedette_agent_answers_total",
      help: "Answers of the agent, by end reason.",
      labelNames: ["end"],
      registers,
    }),
    toolCalls: new Counter({
      name: "vedette_agent_tool_calls_total",
      help: "Tool calls, by tool and caller: the agent, or a model over MCP.",
      labelNames: ["tool", "via"],
      registers,
    }),
    openStreams: new Gauge({
      name: "vedette_agent_open_streams",
      help: "Answers of the agent in progress.",
      registers,
    }),
  };
}
