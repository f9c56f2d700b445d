import { quoteWhole } from "../../../platform/text/clip.ts";
import type { Caller } from "../../accounts/index.ts";
import type { Question } from "../answer.ts";
import type { AnswerEvent } from "../answer-event.ts";
import { type Confirmed, confirmActions, describeOutcome } from "../confirmations/confirm.ts";
import type { AgentContext } from "../context.ts";
import type { StreamRequest } from "../schema.ts";

async function* reportConfirmed(confirmed: readonly Confirmed[]): AsyncGenerator<AnswerEvent> {
  for (const [place, one] of confirmed.entries()) {
    const callId = `confirmed-${place + 1}`;
    yield { type: "tool-call", callId, tool: one.tool, input: {} };
    yield { type: "tool-result", callId, result: one.result };
    // Summaries contain names chosen by users, and answers are rendered as Markdown.
    yield { type: "text", text: describeOutcome(one, quoteWhole) };
  }
  yield { type: "end", reason: "complete", text: null };
}

/**
 * The planner and the AI SDK are loaded on first use, while the answer has already started. With
 * the MCP SDK they take about 200 ms and 9 MB, and many installations use neither.
 */
async function* answerWhenLoaded(
  context: AgentContext,
  caller: Caller,
  question: Question,
  controller: AbortController,
): AsyncGenerator<AnswerEvent> {
  const { answer } = await import("../answer.ts");
  yield* answer(context, caller, question, { controller });
}

/**
 * Rejects invalid requests before the first byte. With tokens, executes and reports the confirmed
 * actions; otherwise answers the question.
 */
export async function openAnswer(
  context: AgentContext,
  caller: Caller,
  { question, tokens }: StreamRequest,
  controller: AbortController,
): Promise<AsyncGenerator<AnswerEvent>> {
  if (tokens.length === 0) return answerWhenLoaded(context, caller, question, controller);
  return reportConfirmed(await confirmActions(context, caller, tokens));
}
