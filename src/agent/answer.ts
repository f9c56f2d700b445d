import type { Caller } from "../access/accounts/index.ts";
import { agents } from "./agents.ts";
import {
  type AnswerEnd,
  type AnswerEvent,
  describeEnd,
  describeModelError,
} from "./answer-event.ts";
import type { AnswerLimits, AnswerPart, AnswerRun, Question } from "./answer-run.ts";
import type { Tools } from "./answers/answer-without-model.ts";
import type { AgentContext } from "./context.ts";
import { mayUse, ToolBelt } from "./run-tool.ts";
import type { Tool } from "./tool.ts";

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

/** The tools that the caller may use, for an answer without a model. */
function offerTools({ caller, belt, signal }: AnswerRun, tools: readonly Tool[]): Tools {
  const offered = new Map(tools.filter((one) => mayUse(caller, one)).map((one) => [one.name, one]));
  return {
    has: (name) => offered.has(name),
    call: (name, input) => {
      signal.throwIfAborted();
      const tool = offered.get(name);
      if (tool === undefined) throw new Error(`the tool ${name} was not offered`);
      return belt.call(tool, input);
    },
  };
}

/**
 * Returns the events of the configured model, or of the agent without one. Both are loaded on first
 * use, because many installations use only one of them.
 */
async function openParts(run: AnswerRun, question: Question): Promise<AsyncIterable<AnswerPart>> {
  const { context } = run;
  const agent = agents[question.agent];
  if (context.agentSettings.endpoint !== null) {
    const { streamModel } = await import("./models/stream-model.ts");
    return streamModel(run, question);
  }
  const { answerWithoutModel } = await import("./answers/answer-without-model.ts");
  const { focus = null, timeZone = null, messages } = question;
  const turns = messages.map(({ role, text }) => ({ role, text }));
  const now = context.clock.now();
  const asked = { agent: question.agent, turns, now, focus, timeZone };
  return answerWithoutModel(asked, offerTools(run, agent.tools));
}

/** Yields the events of the answer until it ends or is aborted. Returns why the answer ended. */
async function* relay(run: AnswerRun, question: Question): AsyncGenerator<AnswerEvent, AnswerEnd> {
  const { limits, signal } = run;
  let charCount = 0;
  for await (const part of withSilenceLimit(await openParts(run, question), limits.silenceMs)) {
    if (part === "silence") return { reason: "silence" };
    if (!("type" in part)) return signal.aborted ? endOfAbort(signal) : part;
    if (part.type === "text" && part.text === "") continue;
    if (part.type === "text") charCount += part.text.length;
    if (charCount > limits.answerChars) return { reason: "too-long" };
    yield part;
    if (signal.aborted) break;
  }
  return signal.aborted ? endOfAbort(signal) : { reason: "complete" };
}

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
