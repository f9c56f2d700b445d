import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { Value } from "typebox/value";
import { checkBodies } from "../../checks/checks/index.ts";
import { publicLocations } from "../../checks/locations/index.ts";
import { isCheckType, kinds } from "../../kinds/index.ts";
import type { Progress } from "../../planner/plan.ts";
import { type AgentName, planTurn, type Setting } from "../../planner/plan-turn.ts";
import type { Turn } from "../../planner/reading/conversation.ts";
import type { Focus } from "../../planner/reading/vocabulary.ts";
import { keyOf, type Outcome, parseOutcome } from "../../planner/tools/tool-outcome.ts";

/** Public locations and the API's validation of check bodies, which the planner needs. */
export const plannerSetting: Setting = {
  publicPlaces: Object.entries(publicLocations).map(([region, name]) => ({ region, name })),
  findBodyFault: ({ checkType, ...body }) => {
    if (!isCheckType(checkType)) return "this kind of check does not exist";
    const schema = checkBodies.of(kinds[checkType]);
    if (Value.Check(schema, body)) return null;
    const [first] = Value.Errors(schema, body);
    const field = first?.instancePath.slice(1).replaceAll("/", ".") ?? "";
    return `${field} ${first?.message ?? "is not valid"}`;
  },
};

export interface PlannerModelOptions {
  readonly agent: AgentName;
  readonly focus?: Focus | null;
  readonly zoneOffsetMs?: number;
  /** Time of the question. A model instance answers only one question, in one or more steps. */
  readonly now: Date;
}

/** The planner consumes no tokens, because it uses no external model. */
const usage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

interface PlannerOutput {
  readonly text: string;
  readonly calls: readonly LanguageModelV4ToolCall[];
}

/** Makes the planner available through the interface of a language model. */
export function createPlannerModel({
  agent,
  now,
  focus = null,
  zoneOffsetMs = 0,
}: PlannerModelOptions): LanguageModelV4 {
  const nowMs = now.getTime();

  function think(options: LanguageModelV4CallOptions): PlannerOutput {
    const reading = readPrompt(options);
    const step = planTurn({
      ...reading,
      agent,
      focus,
      nowMs,
      zoneOffsetMs,
      setting: plannerSetting,
    });
    if (step.kind === "answer") return { text: step.text, calls: [] };
    const calls = step.calls.map(
      ({ tool, input }, index): LanguageModelV4ToolCall => ({
        type: "tool-call",
        toolCallId: `plan-${nowMs.toString(36)}-${reading.callCount + index + 1}`,
        toolName: tool,
        input: JSON.stringify(input),
      }),
    );
    return { text: step.opening ?? "", calls };
  }

  return {
    specificationVersion: "v4",
    provider: "vedette",
    modelId: "planner",
    supportedUrls: {},
    doGenerate: async (options) => {
      options.abortSignal?.throwIfAborted();
      const { text, calls } = think(options);
      const content: LanguageModelV4Content[] = [...calls];
      if (text !== "") content.unshift({ type: "text", text });
      return { content, finishReason: finishOf(calls), usage, warnings: [] };
    },
    doStream: async (options) => {
      options.abortSignal?.throwIfAborted();
      return { stream: toStream(think(options), options.abortSignal) };
    },
  };
}

function finishOf(calls: readonly unknown[]): LanguageModelV4FinishReason {
  return { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined };
}

function* listParts({ text, calls }: PlannerOutput): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  if (text !== "") {
    yield { type: "text-start", id: "answer" };
    for (const delta of splitText(text)) yield { type: "text-delta", id: "answer", delta };
    yield { type: "text-end", id: "answer" };
  }
  yield* calls;
  yield { type: "finish", usage, finishReason: finishOf(calls) };
}

/**
 * Creates a stream that produces its parts on demand, so that nothing is buffered for a slow
 * reader.
 */
function toStream(
  output: PlannerOutput,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  const parts = listParts(output);
  return new ReadableStream<LanguageModelV4StreamPart>({
    pull: (controller) => {
      if (signal?.aborted) {
        controller.error(signal.reason);
        return;
      }
      const next = parts.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
  });
}

/** Splits a text into groups of a few words. Splits only after spaces. */
export function splitText(text: string): string[] {
  return text.match(/(?:\S+\s*|\s+){1,4}/gu) ?? [];
}

interface PromptReading extends Progress {
  readonly turns: readonly Turn[];
}

/**
 * Extracts the planner's input from a prompt. Ignores the system prompt, which is for external
 * models.
 */
function readPrompt(options: LanguageModelV4CallOptions): PromptReading {
  const { prompt, tools, toolChoice } = options;
  const lastQuestion = prompt.findLastIndex(({ role }) => role === "user");
  const turns = prompt.slice(0, lastQuestion + 1).flatMap(readTurn);
  const since = prompt.slice(lastQuestion + 1);
  const { outcomes, callCount } = readOutcomes(since);
  const lookupCount = since.filter(({ role }) => role === "tool").length;
  const names = toolChoice?.type === "none" ? [] : (tools ?? []).map(({ name }) => name);
  return { turns, outcomes, callCount, lookupCount, tools: new Set(names) };
}

function readTurn(message: LanguageModelV4Message): Turn[] {
  if (message.role !== "user" && message.role !== "assistant") return [];
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return [{ role: message.role, text: texts.join("\n") }];
}

function readOutcomes(messages: readonly LanguageModelV4Message[]): {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly callCount: number;
} {
  const keys = new Map<string, string>();
  const outcomes = new Map<string, Outcome>();
  for (const message of messages) {
    if (message.role !== "assistant" && message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type === "tool-call") keys.set(part.toolCallId, keyOf(part.toolName, part.input));
      if (part.type !== "tool-result") continue;
      const key = keys.get(part.toolCallId);
      if (key !== undefined) outcomes.set(key, readOutput(part.toolName, part.output));
    }
  }
  return { outcomes, callCount: keys.size };
}

function readOutput(tool: string, output: LanguageModelV4ToolResultOutput): Outcome {
  switch (output.type) {
    case "json":
      return parseOutcome(tool, output.value);
    case "text":
      return parseOutcome(tool, parseJson(output.value));
    case "content": {
      const texts = output.value.flatMap((part) => (part.type === "text" ? [part.text] : []));
      return parseOutcome(tool, parseJson(texts.join("")));
    }
    case "execution-denied":
      return { kind: "failure", tool, message: output.reason ?? "it was not permitted" };
    case "error-text":
      return { kind: "failure", tool, message: output.value };
    case "error-json": {
      const parsed = parseOutcome(tool, output.value);
      const message = parsed.kind === "failure" ? parsed.message : "it failed";
      return { kind: "failure", tool, message };
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
