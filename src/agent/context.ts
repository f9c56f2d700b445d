import { Counter, Gauge, type Registry } from "prom-client";
import type { ChannelsContext } from "../channels/alert-channels/index.ts";
import type { Section } from "../pages/docs/guide.ts";
import { type Loop, startLoop, takeEach } from "../platform/loop.ts";
import type { ScheduleContext } from "../runs/scheduling/index.ts";
import { deleteConfirmationsBefore, deleteExchangesBefore } from "./store.ts";

/** An external model that supports the chat completions protocol. */
export interface ModelEndpoint {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly model: string;
}

export interface AgentSettings {
  /**
   * External model. If it is `null`, the agent answers without a model, and no data leaves this server.
   */
  readonly endpoint: ModelEndpoint | null;
  /** Maximum number of tokens that an external model may generate in one step. */
  readonly maxTokens: number;
  readonly streamsPerAccount: number;
}

/** Dependencies of the agent, including those of the actions that its tools call. */
export interface AgentContext extends ScheduleContext, ChannelsContext {
  /** Returns the base URL for links in answers. */
  readonly publicUrl: () => string;
  /** Returns the sections of the docs. Reads them at the first call. */
  readonly listDocSections: () => readonly Section[];
  readonly agentSettings: AgentSettings;
  readonly agentMetrics: AgentMetrics;
}

interface AgentMetrics {
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

const dayMs = 86_400_000;
const confirmationRetentionDays = 7;
const exchangeRetentionDays = 7;

export function startAgentLoops(context: AgentContext): readonly Loop[] {
  const { db, clock, log } = context;
  return [
    startLoop({
      name: "forget old proposals and exchanges of the agent",
      isEssential: false,
      everyMs: 600_000,
      log,
      turn: async () => {
        const nowMs = clock.now().getTime();
        await takeEach([
          () => deleteConfirmationsBefore(db, new Date(nowMs - confirmationRetentionDays * dayMs)),
          () => deleteExchangesBefore(db, new Date(nowMs - exchangeRetentionDays * dayMs)),
        ]);
      },
    }),
  ];
}
