import { isStepCount, jsonSchema, type ModelMessage, streamText, type ToolSet, tool } from "ai";
import { formatDateTime } from "../../platform/dates.ts";
import { agents, buildInstructions } from "../agents.ts";
import type { AnswerEvent, EndReason } from "../answer-event.ts";
import type { AnswerPart, AnswerRun, Question } from "../answer-run.ts";
import { mayUse } from "../run-tool.ts";
import type { Tool, ToolResult } from "../tool.ts";
import { createModel } from "./model.ts";

function toModelTools({ belt, signal }: AnswerRun, tools: readonly Tool[]): ToolSet {
  return Object.fromEntries(
    tools.map((one) => [
      one.name,
      tool({
        description: one.description,
        inputSchema: jsonSchema(one.InputSchema as object),
        execute: (input: unknown) => {
          signal.throwIfAborted();
          return belt.call(one, input);
        },
      }),
    ]),
  );
}

function startModel(run: AnswerRun, question: Question) {
  const { context, caller, signal, limits } = run;
  const agent = agents[question.agent];
  const now = formatDateTime(context.clock.now());
  const messages = question.messages.map(
    ({ role, text }): ModelMessage => ({ role, content: text }),
  );
  return streamText({
    model: createModel(context, caller),
    instructions: buildInstructions(agent, now, question),
    messages,
    // Callers are offered only the tools that they may use.
    tools: toModelTools(
      run,
      agent.tools.filter((one) => mayUse(caller, one)),
    ),
    stopWhen: isStepCount(limits.steps),
    maxOutputTokens: context.agentSettings.maxTokens,
    maxRetries: 1,
    toolCallConcurrency: 4,
    abortSignal: signal,
    // Errors also arrive as parts of the stream. Without this handler, the SDK would print them.
    onError: () => {},
  });
}

type Part =
  ReturnType<typeof startModel>["stream"] extends AsyncIterable<infer Item> ? Item : never;

/** Converts a stream part to an event. Returns `null` for parts that clients do not need. */
function toEvent(part: Part): AnswerEvent | null {
  switch (part.type) {
    case "text-delta":
      return { type: "text", text: part.text };
    case "tool-call":
      return {
        type: "tool-call",
        callId: part.toolCallId,
        tool: part.toolName,
        input: part.input,
      };
    case "tool-result":
      return { type: "tool-result", callId: part.toolCallId, result: part.output as ToolResult };
    case "tool-error":
      return { type: "tool-error", callId: part.toolCallId };
    default:
      return null;
  }
}

/**
 * Reasons for the end of an answer, by the finish reason of the model. With any other finish
 * reason, or none, the answer was cut off.
 */
const endReasons: Readonly<Record<string, EndReason>> = {
  stop: "complete",
  length: "too-long",
  "content-filter": "refused",
  "tool-calls": "too-many-steps",
};

/** Yields the events of the external model, and at last why it ended. */
export async function* streamModel(run: AnswerRun, question: Question): AsyncGenerator<AnswerPart> {
  let finishReason = "";
  for await (const part of startModel(run, question).stream) {
    if (part.type === "error") {
      yield { reason: "model-error", error: part.error };
      return;
    }
    if (part.type === "abort") return;
    if (part.type === "finish") finishReason = part.finishReason;
    // Parts without an event, such as reasoning, still show that the model is not silent.
    yield toEvent(part) ?? { type: "text", text: "" };
  }
  yield { reason: endReasons[finishReason] ?? "broken-off" };
}
