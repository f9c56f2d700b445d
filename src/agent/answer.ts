import { isStepCount, jsonSchema, type ModelMessage, streamText, type ToolSet, tool } from "ai";
import type { Caller } from "../access/accounts/index.ts";
import { formatDateTime } from "../platform/dates.ts";
import { type AgentName, agents, buildInstructions, type Focus } from "./agents.ts";
import {
  type AnswerEnd,
  type AnswerEvent,
  describeEnd,
  describeModelError,
  type EndReason,
} from "./answer-event.ts";
import type { AgentContext } from "./context.ts";
import type { Message } from "./exchanges.ts";
import { createModel } from "./models/model.ts";
import { type BeltLimits, mayUse, ToolBelt } from "./run-tool.ts";
import type { Tool, ToolResult } from "./tool.ts";

/** Yields the items of a source. If no item arrives within `limitMs`, yields "silence" and ends. */
export async function* withSilenceLimit<Item>(
  source: AsyncIterable<Item>,
  limitMs: number,
): AsyncGenerator<Item | "silence"> {
  const items = source[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const next = await raceSilence(items.next(), limitMs);
      if (next === "silence") {
        yield next;
        return;
      }
      if (next.done) {
        isDone = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // The result of `return` is not awaited, because the promise of a silent source may never
    // settle.
    if (!isDone) items.return?.()?.catch(() => {});
  }
}

async function raceSilence<Value>(
  next: Promise<Value>,
  limitMs: number,
): Promise<Value | "silence"> {
  const silence = Promise.withResolvers<"silence">();
  const timer = setTimeout(() => silence.resolve("silence"), limitMs);
  try {
    return await Promise.race([next, silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export interface Question {
  readonly agent: AgentName;
  readonly messages: readonly Message[];
  /** Object on the user's screen, if any. */
  readonly focus?: Focus | null;
  /** Time zone of the user. If it is absent, times are read as UTC. */
  readonly timeZone?: string | null;
}

export interface AnswerLimits extends BeltLimits {
  readonly steps: number;
  readonly answerMs: number;
  /**
   * Maximum time between two model events. It is shorter than the server's timeout for idle
   * connections.
   */
  readonly silenceMs: number;
  readonly answerChars: number;
}

export const defaultLimits: AnswerLimits = {
  steps: 8,
  answerMs: 120_000,
  silenceMs: 45_000,
  answerChars: 60_000,
  toolCalls: 24,
  toolResultChars: 60_000,
  toolCharsTogether: 200_000,
};

export interface Handle {
  /** Controller whose signal aborts the answer. */
  readonly controller: AbortController;
  readonly limits?: AnswerLimits;
}

interface AnswerRun {
  readonly context: AgentContext;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly limits: AnswerLimits;
  readonly belt: ToolBelt;
}

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
    model: createModel(context, caller, question),
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

/** Yields the events of the model until it ends or is aborted. Returns why the answer ended. */
async function* relay(run: AnswerRun, question: Question): AsyncGenerator<AnswerEvent, AnswerEnd> {
  const { stream } = startModel(run, question);
  const { limits } = run;
  let charCount = 0;
  let finishReason = "";
  for await (const part of withSilenceLimit(stream, limits.silenceMs)) {
    if (part === "silence") return { reason: "silence" };
    if (part.type === "error") return { reason: "model-error", error: part.error };
    if (part.type === "abort") break;
    if (part.type === "finish") finishReason = part.finishReason;
    const event = toEvent(part);
    if (event === null) continue;
    if (event.type === "text") charCount += event.text.length;
    if (charCount > limits.answerChars) return { reason: "too-long" };
    yield event;
  }
  if (run.signal.aborted) return endOfAbort(run.signal);
  return { reason: endReasons[finishReason] ?? "broken-off" };
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

const abortReasons = ["stopping", "out-of-time"] as const;

function endOfAbort(signal: AbortSignal): AnswerEnd {
  const known = abortReasons.find((reason) => reason === signal.reason);
  return { reason: known ?? "closed" };
}

/**
 * Streams the answer to a question. Never throws: an error becomes the last event. Confirmation
 * tokens are sent after the model's text, and only to the client.
 */
export async function* answer(
  context: AgentContext,
  caller: Caller,
  question: Question,
  { controller, limits = defaultLimits }: Handle,
): AsyncGenerator<AnswerEvent> {
  const timer = setTimeout(() => controller.abort("out-of-time"), limits.answerMs);
  const belt = new ToolBelt(context, caller, limits);
  const run: AnswerRun = { context, caller, signal: controller.signal, limits, belt };
  // End reason if the client disconnects, which closes the generator early.
  let end: AnswerEnd = { reason: "closed" };
  try {
    end = yield* relay(run, question);
  } catch (error) {
    const { signal } = controller;
    end = signal.aborted ? endOfAbort(signal) : { reason: "model-error", error };
  } finally {
    clearTimeout(timer);
    // Stop the model, because nobody reads its remaining output.
    controller.abort("over");
    context.agentMetrics.answers.inc({ end: end.reason });
  }
  if (end.reason === "model-error") {
    const { requestId } = caller;
    context.log.warn({ reason: describeModelError(end.error), requestId }, "agent answer failed");
  }
  for (const confirmation of belt.listProposed()) yield { type: "confirmation", confirmation };
  yield { type: "end", reason: end.reason, text: describeEnd(end) };
}
