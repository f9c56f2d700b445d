import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import type { Progress } from "../../../planner/plan.ts";
import type { Turn } from "../../../planner/reading/conversation.ts";
import { keyOf, type Outcome, parseOutcome } from "../../../planner/tools/tool-outcome.ts";

export interface PromptReading extends Progress {
  readonly turns: readonly Turn[];
}

/** Extracts the planner's input from a prompt; system instructions are for models only. */
export function readPrompt(options: LanguageModelV4CallOptions): PromptReading {
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
